-- Was there ever a key, of any tenant? Revoked ones count: revoking the last one must not open the door.
create or replace function has_api_keys() returns boolean
language sql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$ select exists (select from api_key) $$;

revoke execute on function has_api_keys from public;
grant execute on function has_api_keys to signalbox_app;
