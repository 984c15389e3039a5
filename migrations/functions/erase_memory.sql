-- Destroys the key of the content of a memory, and the content that is stored under it, and erases the answers of models in the log of its runs that
-- have ended: their calls hold the words of items. Answers how many texts were removed; null: there is no such memory. The chain of the log holds, as
-- with each event that is erased.
create or replace function erase_memory(thread_id text, tenant_id text, content_key bytea) returns int
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  gone int;
begin
  update thread t set content_key = $3
  where t.thread_id = $1 and t.tenant_id = $2 and t.kind = 'memory';
  if not found then
    return null;
  end if;
  delete from blob b where b.thread_id = $1 and b.tenant_id = $2;
  get diagnostics gone = row_count;
  update event e set payload = null, salt = null
  from run r
  where r.thread_id = $1 and r.tenant_id = $2 and r.status = 'ended'
    and e.run_id = r.id and e.type = 'model.completed' and e.payload is not null;
  return gone;
end $$;

revoke execute on function erase_memory from public;
grant execute on function erase_memory to signalbox_engine;
