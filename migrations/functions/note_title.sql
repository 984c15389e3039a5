-- Keeps beside the log which title a thread has: the row of the thread is a projection of its notes. A note that changes nothing stays in
-- the log as what was said.
--
-- N1 What a person says wins, and stays.
-- N2 What was made of the words of a run when it was created (no `effectId`) is for a thread without a title.
-- N3 Else a run may title the thread while the title is made of words, and is its own or of a run that did not complete. `title.unchanged`
--    leaves the text, and says that the run had its turn.
--
-- Of two appends that title the same two threads in another order one is undone and repeated: it takes two runs of each thread that
-- are titled in the same moment.
create or replace function note_title() returns trigger
language plpgsql volatile as $$
declare
  given text := new.payload ->> 'title';
  giver text := coalesce(new.payload ->> 'by', 'words');
begin
  update signalbox.thread t set title = coalesce(given, t.title), title_run = new.run_id,
    title_by = case when given is null then t.title_by else giver end
  where t.tenant_id = new.tenant_id and t.thread_id = new.thread_id and case
    when giver = 'user' or t.title is null then given is not null
    when t.title_by <> 'words' or not new.payload ? 'effectId' then false
    else t.title_run is not distinct from new.run_id or not exists (
      select from signalbox.run r where r.id = t.title_run and r.outcome = 'completed') end;
  return null;
end $$;

revoke execute on function note_title from public;
