-- Writes a definition, unless it is there.
create or replace function put_definition(hash text, body jsonb) returns void
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$ insert into definition values ($1, $2) on conflict do nothing $$;

revoke execute on function put_definition from public;
grant execute on function put_definition to signalbox_engine;
