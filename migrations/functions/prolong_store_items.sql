-- Items that were read live as long again as they were given. `items`: [{"namespace": […], "key": "…"}, …].
create or replace function prolong_store_items(tenant text, items jsonb) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  with asked as (
    select array(select jsonb_array_elements_text(i -> 'namespace')) as namespace, i ->> 'key' as key
    from jsonb_array_elements(prolong_store_items.items) i
  ), mine as (
    select s.namespace, s.key from store_item s join asked a on s.namespace = a.namespace and s.key = a.key
    where s.tenant_id = tenant and s.expires_at > wall()
    for update of s skip locked
  )
  update store_item s set expires_at = wall() + interval '1 minute' * s.ttl_minutes
  from mine where s.tenant_id = tenant and s.namespace = mine.namespace and s.key = mine.key;
end $$;

revoke execute on function prolong_store_items from public;
grant execute on function prolong_store_items to signalbox_app, signalbox_engine;
