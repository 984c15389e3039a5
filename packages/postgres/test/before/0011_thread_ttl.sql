-- Threads that are deleted some time after they were last used.
--
-- T1 Nothing of this is written when a run is: when a thread expires follows from its newest runs, and is looked up when
--    `ttl_look_at` has come. A thread expires never before that, so what is not due yet costs nothing.
-- T2 The clock that says what has expired is that of the database.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

alter table thread
  add column ttl_minutes float8,          -- null: it lives until it is deleted
  add column ttl_since timestamptz,       -- when its owner last said something of it; its runs may have ended later
  add column ttl_look_at timestamptz;     -- null: never, or it is deleted
create index thread_ttl on thread (ttl_look_at) where ttl_look_at is not null;
grant select (ttl_minutes, ttl_since) on thread to signalbox_app;

create function is_ttl(minutes float8) returns boolean
language sql immutable parallel safe
return minutes > 0 and minutes <= 5256000;

-- As before, and with a time to live; of a thread that is there, nothing changes.
drop function ensure_thread;
create function ensure_thread(thread_id text, tenant_id text, metadata jsonb, created_ms bigint, content_key bytea,
  origin_run uuid default null, origin_seq int default null, ttl_minutes float8 default null)
returns setof thread
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  if $8 is not null and is_ttl($8) is not true then
    raise exception 'thread_malformed' using errcode = '22023';
  end if;
  if $6 is not null and not exists (
    select from run r where r.id = $6 and r.tenant_id = $2 and r.place is not null and $7 between 1 and r.seq)
  then
    return;
  end if;
  insert into thread (thread_id, tenant_id, metadata, created_at, content_key, origin_run, origin_seq,
    ttl_minutes, ttl_since, ttl_look_at)
  values ($1, $2, $3, from_ms($4), $5, $6, $7,
    $8, case when $8 is not null then wall() end, wall() + interval '1 minute' * $8) on conflict do nothing;
  return query select * from thread t where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null;
end $$;

-- As before. `ttl`: {"minutes": 60}, or with null, which takes it away; without it, what is there stands, and counts anew.
drop function change_thread;
create function change_thread(thread_id text, tenant_id text, metadata jsonb, ttl jsonb default null) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  merged jsonb;
  minutes float8;
begin
  if jsonb_typeof($3) is distinct from 'object' then
    raise exception 'thread_malformed' using errcode = '22023';
  end if;
  select t.metadata || $3, t.ttl_minutes into merged, minutes from thread t
  where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null for update;
  if not found then
    return 'no_thread';
  end if;
  if octet_length(merged::text) > 65536 then
    return 'too_large';
  end if;
  if $4 is not null then
    minutes := ($4 ->> 'minutes')::float8;
    if minutes is not null and is_ttl(minutes) is not true then
      raise exception 'thread_malformed' using errcode = '22023';
    end if;
  end if;
  update thread t set metadata = merged, ttl_minutes = minutes,
    ttl_since = case when minutes is not null then wall() end, ttl_look_at = wall() + interval '1 minute' * minutes
  where t.thread_id = $1 and t.tenant_id = $2;
  return 'ok';
end $$;

-- As before, and its crons go with it: there is nothing any more that they could run on. `expired`: only if it still is, with
-- no run but those up to `last_run`, all of which have ended.
drop function hide_thread;
create function hide_thread(thread_id text, tenant_id text, expired boolean default false, last_run uuid default null)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform from thread t where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null for update;
  if not found then
    return 'no_thread';
  end if;
  if exists (select from run r
    where r.tenant_id = $2 and r.thread_id = $1 and r.status <> 'ended' and not r.cancel_requested) then
    return 'busy';
  end if;
  if $3 and (
    not exists (select from thread t
      where t.thread_id = $1 and t.ttl_since + interval '1 minute' * t.ttl_minutes <= now())
    or exists (select from run r
      where r.tenant_id = $2 and r.thread_id = $1 and (r.status <> 'ended' or $4 is null or r.id > $4)))
  then
    return 'busy';
  end if;
  update thread t set hidden_at = wall(), ttl_look_at = null where t.thread_id = $1 and t.tenant_id = $2;
  delete from cron c where c.tenant_id = $2 and c.thread_id = $1;
  return 'ok';
end $$;

-- Threads of all tenants that have expired, at most so many, for whoever asked to delete: nobody else gets them for a minute.
-- Of those looked at, the others are looked at again when they may have expired. One with a run under way or waiting for a
-- human cannot before this run has ended and its time has passed anew.
create function take_expired(max_rows int)
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

revoke execute on function is_ttl, ensure_thread, change_thread, hide_thread, take_expired from public;
grant execute on function ensure_thread, change_thread, hide_thread, take_expired to signalbox_engine;
