-- Threads of all tenants that have expired, at most so many, for whoever asked to delete: nobody else gets them for a minute.
-- Of those looked at, the others are looked at again when they may have expired. One with a run under way or waiting for a
-- human cannot before this run has ended and its time has passed anew.
create or replace function take_expired(max_rows int)
returns table (thread_id text, tenant_id text, last_run uuid)
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  with due as (
    select t.thread_id, t.tenant_id, t.ttl_since, interval '1 minute' * t.ttl_minutes as life from thread t
    where t.ttl_look_at <= now() order by t.ttl_look_at limit max_rows
    for update skip locked
  ), seen as (
    select d.*, r.last_run, greatest(d.ttl_since, r.updated_at) + d.life as expires_at,
      exists (select from run o
        where o.tenant_id = d.tenant_id and o.thread_id = d.thread_id and o.status <> 'ended') as open
    from due d
    left join lateral (
      select (array_agg(newest.id order by newest.id desc))[1] as last_run,
        max(newest.updated_at) filter (where newest.outcome is distinct from 'rolled_back') as updated_at
      from (
        select id, outcome, updated_at from run
        where run.tenant_id = d.tenant_id and run.thread_id = d.thread_id order by id desc limit 50
      ) newest
    ) r on true
  ), looked as (
    update thread t set ttl_look_at = case
      when s.open then now() + s.life
      when s.expires_at > now() then s.expires_at
      else now() + interval '1 minute' end
    from seen s where t.thread_id = s.thread_id
  )
  select s.thread_id, s.tenant_id, s.last_run from seen s where not s.open and s.expires_at <= now()
$$;

revoke execute on function take_expired from public;
grant execute on function take_expired to signalbox_engine;
