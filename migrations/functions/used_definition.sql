-- A definition that the tenant has used. No row for one that it has not, whoever else did.
create or replace function used_definition(tenant text, definition_hash text)
returns table (body jsonb, first_used_at timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  return query select d.body, u.first_used_at from definition_use u join definition d on d.hash = u.hash
    where u.tenant_id = tenant and u.hash = definition_hash;
end $$;

revoke execute on function used_definition from public;
grant execute on function used_definition to signalbox_app;
