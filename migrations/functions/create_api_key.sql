-- Makes a key of the current tenant: ok, or too_many if `live_max` of its keys are live.
create or replace function create_api_key(draft jsonb, live_max int) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tenant text := draft ->> 'tenantId';
begin
  perform check_tenant(tenant);
  perform pg_advisory_xact_lock(hashtextextended(netstring(tenant), 3));
  if (select count(*) from api_key where tenant_id = tenant and revoked_at is null
    and (expires_at is null or expires_at > wall())) >= live_max
  then
    return 'too_many';
  end if;
  insert into api_key (id, tenant_id, name, scopes, digest, created_at, created_by, expires_at)
  values (draft ->> 'id', tenant, draft ->> 'name',
    (select coalesce(array_agg(s order by n), '{}') from jsonb_array_elements_text(draft -> 'scopes') with ordinality e (s, n)),
    decode(draft ->> 'digest', 'hex'), wall(), draft ->> 'by', from_ms((draft ->> 'expiresAt')::bigint));
  return 'ok';
end $$;

revoke execute on function create_api_key from public;
grant execute on function create_api_key to signalbox_app;
