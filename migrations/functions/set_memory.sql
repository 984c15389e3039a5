-- Says whether anything of a thread is to be remembered; of the thread of a memory, whether it learns and is shown for now. Answers ok, or
-- no_thread.
create or replace function set_memory(thread_id text, tenant_id text, is_off boolean) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  update thread t set memory = case when $3 then 'off' end
  where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null;
  return case when found then 'ok' else 'no_thread' end;
end $$;

revoke execute on function set_memory from public;
grant execute on function set_memory to signalbox_engine;
