-- Is one of the run's lanes full? A run that waits for a human is not at work, and does not count.
create or replace function lanes_full(run uuid, moment timestamptz) returns boolean
language sql stable
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select exists (
    select from lane l where l.run_id = lanes_full.run and (
      l.most <= (
        select count(*) from lane o join run r on r.id = o.run_id
        where o.tenant_id = l.tenant_id and o.key = l.key and o.admitted_at is not null and not o.over
          and r.status <> 'waiting')
      or l.rate <= (
        select count(*) from lane o
        where o.tenant_id = l.tenant_id and o.key = l.key and o.rate is not null
          and o.admitted_at > moment - interval '1 millisecond' * l.per_ms)))
$$;

revoke execute on function lanes_full from public;
grant execute on function lanes_full to signalbox_engine;
