-- Revokes a key of the current tenant. A second time changes nothing: who did it first, and when, stays.
create or replace function revoke_api_key(tenant text, key_id text, by_whom text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  update api_key set revoked_at = wall(), revoked_by = by_whom
  where id = key_id and tenant_id = tenant and revoked_at is null;
end $$;

revoke execute on function revoke_api_key from public;
grant execute on function revoke_api_key to signalbox_app;
