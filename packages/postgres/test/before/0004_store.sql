-- The store: what agents and their servers remember across threads. One document per (tenant, namespace, key).
--
-- Nothing of it is in the event log: it is the tenant's own data, overwritten and deleted at his will.
--
-- Locks: the usage row of a tenant before his items, so that writers of one tenant queue up and cannot deadlock. Reads that
-- prolong a life take no usage row, and skip items that somebody writes right now.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

create table store_item (
  tenant_id text not null,
  namespace text[] collate "C" not null,  -- so collated, the namespaces under a prefix stand together in the key
  key text collate "C" not null,
  value jsonb not null,
  ttl_minutes float8,                     -- null: it lives until it is deleted
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, namespace, key)
);
create index store_item_expires on store_item (expires_at) where expires_at is not null;

-- How many items a tenant has, those included that expired and were not swept yet.
create table store_usage (
  tenant_id text primary key,
  items int not null
);

-- 1 to 16 labels, 800 octets together: an index holds them, together with a tenant and a key. A control character in a
-- label could stand between a prefix and what is under it.
create function is_namespace(n text[]) returns boolean
language sql immutable parallel safe
return array_ndims(n) = 1 and cardinality(n) <= 16 and octet_length(array_to_string(n, '.')) <= 800
  and array_position(n, null) is null and array_position(n, '') is null
  and strpos(array_to_string(n, ''), '.') = 0 and array_to_string(n, '') !~ '[[:cntrl:]]';

-- Forgets what has expired, of one tenant, and answers how many items he has left. The caller holds his usage row.
create function sweep_tenant(tenant text) returns int
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

-- Writes an item whole. Answers `ok`, or `full`: the tenant has 100000 items and this would be another.
create function put_store_item(tenant text, namespace text[], key text, value jsonb, ttl_minutes float8) returns text
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

create function delete_store_item(tenant text, namespace text[], key text) returns void
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

-- Items that were read live as long again as they were given. `items`: [{"namespace": […], "key": "…"}, …].
create function prolong_store_items(tenant text, items jsonb) returns void
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

-- Forgets what has expired, of all tenants: a hundred of them at a time, and none whose store somebody writes right now.
create function sweep_store() returns void
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
    perform sweep_tenant(owner.tenant_id);
  end loop;
end $$;

do $policies$
declare
  name text;
begin
  foreach name in array array['store_item', 'store_usage'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy owner_all on %I to signalbox_owner using (true) with check (true)', name);
    execute format('create policy engine_read on %I for select to signalbox_engine using (true)', name);
    execute format('create policy app_read on %I for select to signalbox_app'
      || ' using (tenant_id = current_setting(''signalbox.tenant'', true))', name);
    execute format('grant select on %I to signalbox_app, signalbox_engine', name);
  end loop;
end
$policies$;

revoke execute on function is_namespace, sweep_tenant, put_store_item, delete_store_item, prolong_store_items, sweep_store
  from public;
grant execute on function put_store_item, delete_store_item, prolong_store_items to signalbox_app, signalbox_engine;
grant execute on function sweep_store to signalbox_engine;
