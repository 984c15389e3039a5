-- Runs use this version from now on. False: there is no such version.
create or replace function choose_version(tenant text, assistant_id uuid, chosen int) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  update assistant a set version = chosen, updated_at = wall()
  where a.tenant_id = tenant and a.id = assistant_id and chosen between 1 and a.versions;
  return found;
end $$;

revoke execute on function choose_version from public;
grant execute on function choose_version to signalbox_app;
