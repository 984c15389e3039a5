-- Writes an item whole. Answers `ok`, or `full`: the tenant has 100000 items and this would be another.
create or replace function put_store_item(tenant text, namespace text[], key text, value jsonb, ttl_minutes float8) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  had int;
  moment timestamptz;
begin
  perform check_tenant(tenant);
  if (fits(tenant) and is_namespace(put_store_item.namespace) and fits(put_store_item.key)
    and jsonb_typeof(put_store_item.value) = 'object' and pg_column_size(put_store_item.value) <= 4194304
    and coalesce(put_store_item.ttl_minutes, 1) > 0 and coalesce(put_store_item.ttl_minutes, 1) <= 5256000) is not true
  then
    raise exception 'store_item_malformed' using errcode = '22023';
  end if;
  insert into store_usage values (tenant, 0) on conflict do nothing;
  select items into had from store_usage where tenant_id = tenant for update;
  moment := wall();
  update store_item i set
    value = put_store_item.value,
    ttl_minutes = put_store_item.ttl_minutes,
    expires_at = moment + interval '1 minute' * put_store_item.ttl_minutes,
    -- What had expired was not there any more.
    created_at = case when i.expires_at <= moment then moment else i.created_at end,
    updated_at = moment
  where i.tenant_id = tenant and i.namespace = put_store_item.namespace and i.key = put_store_item.key;
  if found then
    return 'ok';
  end if;
  if had >= 100000 and sweep_tenant(tenant) >= 100000 then
    return 'full';
  end if;
  insert into store_item values (tenant, put_store_item.namespace, put_store_item.key, put_store_item.value,
    put_store_item.ttl_minutes, moment + interval '1 minute' * put_store_item.ttl_minutes, moment, moment);
  update store_usage set items = items + 1 where tenant_id = tenant;
  return 'ok';
end $$;

revoke execute on function put_store_item from public;
grant execute on function put_store_item to signalbox_app, signalbox_engine;
