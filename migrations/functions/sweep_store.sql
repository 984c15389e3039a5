-- Forgets what has expired, of all tenants: a hundred of them at a time, and none whose store somebody writes right now.
-- Each tenant by itself: one that cannot be swept is told, and takes no other with it.
create or replace function sweep_store() returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  owner record;
begin
  for owner in
    select u.tenant_id from store_usage u
    where u.tenant_id in (select tenant_id from store_item where expires_at <= now() order by expires_at limit 10000)
    order by u.tenant_id limit 100
    for update of u skip locked
  loop
    begin
      perform sweep_tenant(owner.tenant_id);
    exception when others then
      raise warning 'the store of tenant % could not be swept: %', owner.tenant_id, sqlerrm;
    end;
  end loop;
end $$;

revoke execute on function sweep_store from public;
grant execute on function sweep_store to signalbox_engine;
