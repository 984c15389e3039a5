-- Writes a blob, unless it is there.
create or replace function put_blob(tenant_id text, thread_id text, key text, mime text, bytes bytea) returns void
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$ insert into blob values ($1, $2, $3, $4, $5) on conflict do nothing $$;

revoke execute on function put_blob from public;
grant execute on function put_blob to signalbox_engine;
