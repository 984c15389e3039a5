-- Makes the thread of a memory; of one that is there, nothing changes. Answers whether the thread is one.
create or replace function keep_memory(thread_id text, tenant_id text, about jsonb, created_ms bigint, content_key bytea)
returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  insert into thread (thread_id, tenant_id, metadata, created_at, content_key, kind)
  values ($1, $2, $3, from_ms($4), $5, 'memory') on conflict do nothing;
  return exists (select from thread t where t.thread_id = $1 and t.tenant_id = $2 and t.kind = 'memory');
end $$;

revoke execute on function keep_memory from public;
grant execute on function keep_memory to signalbox_engine;
