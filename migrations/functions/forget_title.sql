-- A note was erased that said the title of a thread: the thread has that of the newest note that is left, a person's before a model's
-- before one of words; else it is named as if nothing had been said.
create or replace function forget_title() returns trigger
language plpgsql volatile as $$
declare
  said record;
begin
  select e.payload ->> 'title' as title, e.payload ->> 'by' as giver, e.run_id as run into said
  from signalbox.run r join signalbox.event e on e.run_id = r.id
  where r.tenant_id = new.tenant_id and r.thread_id = new.thread_id and e.type = 'thread.titled' and e.payload is not null
  order by array_position(array['user', 'model', 'words'], e.payload ->> 'by'), e.gpos desc
  limit 1;
  update signalbox.thread t set title = coalesce(said.title, 'New conversation'), title_by = coalesce(said.giver, 'words'),
    title_run = said.run
  where t.tenant_id = new.tenant_id and t.thread_id = new.thread_id and t.title = old.payload ->> 'title';
  return null;
end $$;

revoke execute on function forget_title from public;
