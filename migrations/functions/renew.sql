-- Extends leases, lapsed ones too, and notes that somebody was here (O1). An effect that is locked right now is left as it is, and
-- not answered. Who is told of a run is told also when it is to end.
create or replace function renew(leases jsonb, lease_ms bigint)
returns table (effect_id text, kept boolean, cancel boolean)
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  -- Written now and then only, whoever else renews: it is one row for all.
  insert into heartbeat as h (at, up_since)
  select now(), now()
  where lease_ms > 0 and not exists (
    select from heartbeat b where b.at between now() - interval '1 millisecond' * (lease_ms / 10) and now())
  on conflict (only_one) do update set
    -- A clock that was set is an outage, too: leases are counted by it.
    up_since = case when excluded.at between h.up_since and h.at + interval '1 millisecond' * (lease_ms / 2)
      then h.up_since else excluded.at end,
    at = excluded.at;

  with asked as (
    select l.value ->> 'effectId' as id, (l.value ->> 'attempt')::int as attempt, l.ordinality as n
    from jsonb_array_elements(leases) with ordinality l
  ), free as (
    select e.* from effect e join asked a on a.id = e.id
    for update of e skip locked
  ), extended as (
    update effect e set
      lease_ms = renew.lease_ms,
      lease_until = now() + interval '1 millisecond' * renew.lease_ms,
      next_look = case when r.status = 'ended' and not outlives_run(e.kind) then 'infinity'
        else now() + interval '1 millisecond' * renew.lease_ms end
    from free f join asked a on a.id = f.id and a.attempt = f.attempt join run r on r.id = f.run_id
    where e.id = f.id and f.status = 'started' and f.lease_until is not null
    returning e.id
  )
  select a.id, x.id is not null,
    coalesce((r.cancel_requested or r.status = 'ended') and not outlives_run(f.kind), false)
  from asked a
    left join free f on f.id = a.id
    left join extended x on x.id = a.id
    left join run r on r.id = f.run_id
  where f.id is not null or not exists (select from effect e where e.id = a.id)
  order by a.n
$$;

revoke execute on function renew from public;
grant execute on function renew to signalbox_engine;
