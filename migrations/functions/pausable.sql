-- The possible targets of a tenant's pauses: agents, tools and queues named by definitions that it has used.
create or replace function pausable(tenant text) returns table (target text, name text)
language plpgsql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  return query
    with used as (
      select d.body from definition_use u join definition d on d.hash = u.hash where u.tenant_id = tenant limit 1000
    )
    select 'agent', body ->> 'name' from used
    union select k.target, t ->> k.field from used
      cross join lateral jsonb_array_elements(case jsonb_typeof(body -> 'tools') when 'array' then body -> 'tools' else '[]' end) t
      cross join (values ('tool', 'name'), ('queue', 'queue')) k (target, field)
      where t ->> k.field is not null
    limit 10000;
end $$;

revoke execute on function pausable from public;
grant execute on function pausable to signalbox_app, signalbox_engine;
