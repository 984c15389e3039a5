-- Is a lane full? One answer for all who wait for it: whoever is created, and every look for whom to admit, would otherwise count
-- who is at work once for each of them.
create or replace function lane_full(tenant text, key text, most int, rate int, per_ms bigint, moment timestamptz) returns boolean
language sql stable
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select coalesce(lane_full.most <= (
      select count(*) from lane o join run r on r.id = o.run_id
      where o.tenant_id = lane_full.tenant and o.key = lane_full.key and o.admitted_at is not null and not o.over
        and r.status <> 'waiting'), false)
    or coalesce(lane_full.rate <= (
      select count(*) from lane o
      where o.tenant_id = lane_full.tenant and o.key = lane_full.key and o.rate is not null
        and o.admitted_at > moment - interval '1 millisecond' * lane_full.per_ms), false)
$$;

revoke execute on function lane_full from public;
grant execute on function lane_full to signalbox_engine;
