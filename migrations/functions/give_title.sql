-- Gives a thread a title beside its notes: that of a person, who wins, or, of a thread without one, that of the thread it is a copy of,
-- with the run that it is of. Answers ok, or no_thread.
create or replace function give_title(thread_id text, tenant_id text, title text, title_by text, title_run uuid default null)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  if (char_length($3) between 1 and 240 and $4 in ('words', 'model', 'user')) is not true then
    raise exception 'thread_malformed' using errcode = '22023';
  end if;
  perform from thread t where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null for update;
  if not found then
    return 'no_thread';
  end if;
  update thread t set title = $3, title_by = $4, title_run = $5
  where t.thread_id = $1 and t.tenant_id = $2 and ($4 = 'user' or t.title is null);
  return 'ok';
end $$;

revoke execute on function give_title from public;
grant execute on function give_title to signalbox_engine;
