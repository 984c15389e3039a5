-- The key of a tenant: `wanted`, if it has none yet. Read first, for all but the first call find it there.
create or replace function digest_key(of_tenant text, wanted bytea) returns bytea
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  stands bytea;
begin
  perform check_tenant(of_tenant);
  select k.key into stands from digest_key k where k.tenant_id = of_tenant;
  if found then
    return stands;
  end if;
  insert into digest_key (tenant_id, key) values (of_tenant, wanted) on conflict (tenant_id) do nothing;
  select k.key into strict stands from digest_key k where k.tenant_id = of_tenant;
  return stands;
end $$;

revoke execute on function digest_key from public;
grant execute on function digest_key to signalbox_engine;
