-- Deletes an item, if it is there.
create or replace function delete_store_item(tenant text, namespace text[], key text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  perform from store_usage where tenant_id = tenant for update;
  delete from store_item i
  where i.tenant_id = tenant and i.namespace = delete_store_item.namespace and i.key = delete_store_item.key;
  if found then
    update store_usage set items = items - 1 where tenant_id = tenant;
  end if;
end $$;

revoke execute on function delete_store_item from public;
grant execute on function delete_store_item to signalbox_app, signalbox_engine;
