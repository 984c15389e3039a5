-- Who is created stands behind all that wait for one of its lanes: their turn comes first.
create or replace function lane_awaited(run uuid) returns boolean
language sql stable
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select exists (
    select from lane l join lane o on o.tenant_id = l.tenant_id and o.key = l.key
    where l.run_id = lane_awaited.run and o.run_id <> l.run_id and o.admitted_at is null and not o.over
      and o.due_at <= l.due_at)
$$;

revoke execute on function lane_awaited from public;
