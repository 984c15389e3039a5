-- Forgets what has expired, of one tenant, and answers how many items he has left. The caller holds his usage row.
create or replace function sweep_tenant(tenant text) returns int
language plpgsql volatile as $$
declare
  swept int;
  left_over int;
begin
  delete from store_item where tenant_id = tenant and expires_at <= wall();
  get diagnostics swept = row_count;
  update store_usage set items = items - swept where tenant_id = tenant returning items into left_over;
  return left_over;
end $$;

revoke execute on function sweep_tenant from public;
