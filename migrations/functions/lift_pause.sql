-- Ends a pause of the tenant, and records it. False: there is none, or it is over.
create or replace function lift_pause(tenant text, pause_id uuid, told jsonb) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  if told ->> 'tenantId' is distinct from tenant then
    raise exception 'pause_malformed' using errcode = '22023';
  end if;
  update pause set until = wall() where id = pause_id and tenant_id = tenant and coalesce(until > wall(), true);
  if not found then
    return false;
  end if;
  perform record_in_ledger(told);
  return true;
end $$;

revoke execute on function lift_pause from public;
grant execute on function lift_pause to signalbox_engine;
