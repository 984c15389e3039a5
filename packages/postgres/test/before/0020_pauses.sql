-- needs_code: 18
-- Pauses: an agent, a tool or a queue of a tenant starts nothing new for a while.
--
-- P1 After a pause is acknowledged no effect of its target starts, and no run of its agent is admitted. Every claim and every
--    admission reads this table in a statement that takes its snapshot after it has locked the table: whoever did not see the
--    pause holds that lock, as a writer, until it is over. So whoever sets a pause waits for those (`pause_missed_by`), and
--    nobody else ever waits.
-- P2 A claim that is refused for a pause holds the effect: it is not due, and nobody looks at it, until the pause is over. So
--    what waits costs nothing, however much it is and however long.
-- P3 A pause that is over, by its time or lifted, stays as a row until all that it held is released (`release_held`). A claim
--    holds an effect only under a lock on the row that it does not wait for, so that nothing is held by a pause that is gone.
-- P4 Work under way is not touched: it ends, and its result is recorded. Webhooks are delivered all the while.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

create table pause (
  id uuid primary key,
  tenant_id text not null check (fits(tenant_id)),
  target text not null check (target in ('agent', 'tool', 'queue')),
  name text not null check (fits(name)),
  reason text not null check (char_length(reason) between 1 and 1000),
  set_at timestamptz not null,
  set_by text not null check (fits(set_by)),
  until timestamptz,                      -- null: until somebody lifts it, which sets it
  unique (tenant_id, target, name)
);
create index pause_over on pause (until) where until is not null;

-- When the effect could have been claimed, had no pause refused it. A `pending` one has no other due time until it is released.
alter table effect add column held timestamptz;
create index effect_held on effect (tenant_id) where held is not null;

-- Is an effect of an agent's run what a pause means? What starts a run is a call of its tool; what recalls one executes nothing.
create function is_aimed_at(target text, name text, agent text, kind text, tool text, queue text) returns boolean
language sql immutable parallel safe
return case is_aimed_at.target
  when 'agent' then name = agent and kind <> 'webhook.deliver'
  when 'tool' then name = tool and kind in ('tool.call', 'run.start')
  when 'queue' then name = queue and kind = 'tool.call'
  else false end;

-- Does a pause refuse this effect of an agent's run? In plpgsql, so that it reads what is committed when it is asked.
create function is_paused(e effect, agent text) returns boolean
language plpgsql volatile as $$
begin
  return exists (
    select from pause p
    where p.tenant_id = e.tenant_id and coalesce(p.until > wall(), true)
      and is_aimed_at(p.target, p.name, agent, e.kind, e.tool, e.queue));
end $$;

-- Is the effect refused for a pause? Then nobody looks at it any more until that is over. Who sets, lifts or removes the pause
-- right now is not waited for: the effect is then claimed once more, and refused again if need be.
create function hold_effect(e effect, agent text) returns boolean
language plpgsql volatile as $$
begin
  if not is_paused(e, agent) then
    return false;
  end if;
  if e.held is null or e.next_look < 'infinity' then
    perform from pause p
    where p.tenant_id = e.tenant_id and coalesce(p.until > wall(), true)
      and is_aimed_at(p.target, p.name, agent, e.kind, e.tool, e.queue)
    limit 1 for share skip locked;
    if found then
      update effect set held = coalesce(held, due), next_look = 'infinity',
        -- A time, for builds that show it: they know no pause.
        due = case when status = 'pending' then timestamptz '9999-12-31 00:00:00+00' else due end
      where id = e.id;
    end if;
  end if;
  return true;
end $$;

-- Gives back what pauses held that are over and no other pause refuses, at most so many effects of each; then the pause is
-- removed. What another transaction has right now is left for the next time.
create function release_held(max_rows int) returns void
language plpgsql volatile as $$
declare
  p pause;
begin
  for p in select * from pause where until <= now() order by until limit 100 for update skip locked loop
    with freed as (
      select e.id from effect e join run r on r.id = e.run_id
      where e.tenant_id = p.tenant_id and e.held is not null
        and is_aimed_at(p.target, p.name, r.agent, e.kind, e.tool, e.queue) and not is_paused(e, r.agent)
      limit max_rows for update of e skip locked
    )
    update effect e set held = null,
      due = case when e.status = 'pending' then e.held else e.due end,
      -- A tool call is announced by number, as it was before: `take_waiting`.
      next_look = case when e.status = 'pending' and e.kind = 'tool.call' or e.status not in ('pending', 'started') then 'infinity'
        else now() end
    from freed where e.id = freed.id;
    delete from pause where id = p.id and not exists (
      select from effect e join run r on r.id = e.run_id
      where e.tenant_id = p.tenant_id and e.held is not null
        and is_aimed_at(p.target, p.name, r.agent, e.kind, e.tool, e.queue) and not is_paused(e, r.agent));
  end loop;
end $$;

-- As before, but that a paused agent admits no run.
create or replace function admission_of(r run, moment timestamptz) returns int
language plpgsql volatile as $$
begin
  if r.due_at > moment or not pg_try_advisory_xact_lock(thread_lock(r.tenant_id, r.thread_id)) then
    return null;
  end if;
  -- P1: whoever asks is seen as a writer, also before it has written anything.
  perform pg_current_xact_id();
  if exists (
    select from pause p
    where p.tenant_id = r.tenant_id and p.target = 'agent' and p.name = r.agent and coalesce(p.until > wall(), true))
  then
    return null;
  end if;
  if r.laned and lanes_full(r.id, moment) then
    return null;
  end if;
  return (
    select 1 + coalesce((
      select o.place from run o
      where o.tenant_id = r.tenant_id and o.thread_id = r.thread_id and o.place is not null
      order by o.place desc limit 1), 0)
    where not exists (
      select from run o
      where o.tenant_id = r.tenant_id and o.thread_id = r.thread_id and o.status <> 'ended'
        and o.id <> r.id and (o.admitted or (o.due_at, o.id) < (r.due_at, r.id))));
end $$;

-- As before, but that the agent of a run that is admitted at once is known to the question whether it may be.
create or replace function create_run(item jsonb, rid uuid) returns jsonb
language plpgsql volatile as $$
declare
  c jsonb := item -> 'create';
  tenant text := item ->> 'tenantId';
  thread text := c ->> 'threadId';
  parent uuid;
  parent_effect text;
  root uuid;
  taken record;
  moment timestamptz := wall();
  due timestamptz := moment;
  strategy text := coalesce(c ->> 'multitask', 'enqueue');
  fresh run;
begin
  if exists (select from run where id = rid) then
    return null;
  end if;
  if c ->> 'alias' is not null then
    select * into taken from alias where tenant_id = tenant and key = c #>> '{alias,key}';
    if found then
      return refusal(case when taken.body_hash = c #>> '{alias,bodyHash}' then 'exists' else 'conflict' end,
        null, taken.run_id);
    end if;
  end if;
  if exists (select from thread t where t.tenant_id = tenant and t.thread_id = thread and t.hidden_at is not null) then
    return refusal('no_run', null, rid);
  end if;
  -- What only a child needs stands in here: each expression of plpgsql costs, whether or not it finds anything.
  if c ? 'parent' then
    parent := (c #>> '{parent,runId}')::uuid;
    parent_effect := c #>> '{parent,effectId}';
    root := (c #>> '{parent,rootId}')::uuid;
    if (is_id(parent_effect) and starts_with(parent_effect, parent || '.')) is not true then
      return refusal('rejected', 'parent_malformed', rid);
    end if;
    -- We hold this lock. A parent that appeared since the locks were taken is not waited for, which would be out of order.
    perform from run where id = parent and tenant_id = tenant and status <> 'ended' and not cancel_requested
      and coalesce(root_id, id) = root for update skip locked;
    -- An attempt that was taken over starts nothing: the call may have been answered without it.
    if not found or exists (
      select from effect where id = parent_effect
        and (status not in ('pending', 'started') or attempt is distinct from (c #>> '{parent,attempt}')::int)
    ) then
      return refusal('no_parent', null, rid);
    end if;
  end if;
  if c ? 'base' then
    -- Only what has a place has been said, and only what this thread has heard can be gone on from. It was there before: nothing
    -- goes on from itself.
    perform from run b, lineage(tenant, thread, b.id) heard
    where b.id = (c #>> '{base,runId}')::uuid and b.tenant_id = tenant and b.place is not null
      and heard.run_id = b.id and (c #>> '{base,seq}')::int between 1 and coalesce(heard.through, b.seq);
    if not found then
      return refusal('no_base', null, rid);
    end if;
  end if;
  -- Counted without a lock: creates that race may exceed the limit by their number.
  if (select count(*) from (select from run where tenant_id = tenant and thread_id = thread
      and status <> 'ended' and not admitted limit 1000) waiting) >= 1000 then
    return refusal('thread_full', null, rid);
  end if;
  if strategy <> 'enqueue' then
    -- Behind all that is due: who supersedes must never stand before them because two clocks or two ids say so.
    select max(due_at) + interval '1 millisecond' into due from run
    where tenant_id = tenant and thread_id = thread and status <> 'ended' and due_at <= moment;
    if due is not null and strategy = 'reject' then
      return refusal('busy', null, rid);
    end if;
    due := greatest(moment, due);
  end if;
  if c ? 'delayMs' then
    due := due + interval '1 millisecond' * (c ->> 'delayMs')::bigint;
  end if;
  if (item ->> 'admit')::boolean and not c ? 'lanes' then
    fresh.id := rid;
    fresh.tenant_id := tenant;
    fresh.thread_id := thread;
    fresh.agent := c ->> 'agent';
    fresh.due_at := due;
    fresh.laned := false;
    fresh.place := admission_of(fresh, moment);
  end if;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, metadata, head_hash,
    created_at, updated_at, parent_id, parent_effect, root_id, due_at, multitask, base_run, base_seq, priority,
    laned, place, admitted, ready, status)
  values (rid, tenant, thread, c ->> 'agent', c ->> 'definitionHash', c ->> 'machine',
    (c ->> 'machineVersion')::int, c -> 'metadata', genesis(tenant, rid), moment, moment,
    parent, parent_effect, root, due, strategy,
    (c #>> '{base,runId}')::uuid, (c #>> '{base,seq}')::int,
    coalesce((c ->> 'priority')::int, 0), c ? 'lanes',
    fresh.place, fresh.place is not null, not (fresh.place is not null and item ? 'decision'),
    case when fresh.place is not null and item #>> '{decision,status}' = 'running' then 'running' else 'queued' end)
  on conflict (id) do nothing;
  if found and c ->> 'alias' is not null then
    insert into alias (tenant_id, key, run_id, body_hash)
    values (tenant, c #>> '{alias,key}', rid, c #>> '{alias,bodyHash}');
  end if;
  if c ? 'lanes' then
    insert into lane (run_id, key, tenant_id, most, rate, per_ms, priority, due_at)
    select rid, l ->> 'key', tenant, (l ->> 'most')::int, (l ->> 'rate')::int, (l ->> 'perMs')::bigint,
      coalesce((c ->> 'priority')::int, 0), due
    from jsonb_array_elements(c -> 'lanes') l
    on conflict do nothing;
  end if;
  return null;
end $$;

-- As before, but for P1 and P2.
create or replace function claim_effect(r run, c jsonb, moment timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  e effect;
  answer text;
  body text;
begin
  -- Nearly every claim is granted, of an effect that waits: first the grant, and only then the question why not. Others are told
  -- of a run also when it has ended, or is to end.
  update effect set status = 'started', attempt = attempt + 1, owner = c ->> 'owner',
    lease_ms = (c ->> 'leaseMs')::bigint,
    lease_until = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint,
    next_look = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint
  where id = c ->> 'effectId' and run_id = r.id
    and (not r.cancel_requested and r.status <> 'ended' or kind = 'webhook.deliver')
    -- Where the tenant has no pause, that costs one look at an index.
    and (not exists (select from pause p where p.tenant_id = r.tenant_id) or not is_paused(effect, r.agent))
    and (
    status = 'pending' and due <= moment
    or status = 'started' and lease_until <= moment and mode <> 'once'
      and has_lapsed(lease_until, lease_ms, moment) and not is_own_claim(effect, c))
  returning * into e;
  if not found then
    select * into e from effect where id = c ->> 'effectId' and run_id = r.id;
    answer := case
      when e.id is null then 'gone'
      when is_own_claim(e, c) then 'ok'
      when (r.cancel_requested or r.status = 'ended') and e.kind <> 'webhook.deliver' then 'cancelled'
      when e.status not in ('pending', 'started') then 'gone'
      when e.status = 'pending' and e.due > moment and e.held is null then 'early'
      when e.status = 'started' and has_lapsed(e.lease_until, e.lease_ms, moment) is not true then 'leased'
      when e.status = 'started' and e.mode = 'once' then 'lost'
      when hold_effect(e, r.agent) then 'paused'
      when e.status = 'pending' then 'early'
      else 'leased'
    end;
    return jsonb_build_object('effectId', c -> 'effectId', 'code', answer, 'attempt', coalesce(e.attempt, 0));
  end if;
  -- Canonical by construction: keys in order, and the charset of both texts needs no escape.
  body := '{"attempt":' || e.attempt || ',"effectId":"' || e.id || '","leaseMs":' || (c ->> 'leaseMs')
    || ',"owner":"' || (c ->> 'owner') || '"}';
  return jsonb_build_object('effectId', e.id, 'code', 'ok', 'attempt', e.attempt, 'draft', jsonb_build_object(
    'type', 'effect.started', 'version', 1, 'at', c -> 'at', 'actor', c -> 'owner',
    'tool', case when e.kind <> 'tool.recall' then e.tool end, 'verdict', null,
    'payload', body::jsonb, 'salt', c -> 'salt',
    'payloadHash', encode(sha256(decode(c ->> 'salt', 'hex') || convert_to(body, 'UTF8')), 'hex')));
end $$;

-- As before, but that it releases what pauses held that are over, and finds what they still hold of runs that are to end.
create or replace function take_due(kinds text[], again_ms bigint, max_rows int) returns setof effect
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  found_ids text[];
  stranded text[];
begin
  if exists (select from pause where until <= now()) then
    perform release_held(max_rows);
  end if;
  select array_agg(id) into found_ids from (
    select e.id from effect e
    where e.status in ('pending', 'started') and e.next_look <= now() and e.kind = any (kinds)
    order by e.next_look limit max_rows + 1
  ) due;
  if cardinality(found_ids) > max_rows then
    with recursive place as (
      (select e.queue, e.tenant_id from effect e where e.status = 'pending' order by e.queue, e.tenant_id limit 1)
      union all
      select n.queue, n.tenant_id from place p cross join lateral (
        select e.queue, e.tenant_id from effect e
        where e.status = 'pending' and (e.queue, e.tenant_id) > (p.queue, p.tenant_id)
        order by e.queue, e.tenant_id limit 1) n
    ), busy as materialized (
      select * from place p where exists (
        select from effect e
        where e.status = 'pending' and e.queue = p.queue and e.tenant_id = p.tenant_id
          and e.next_look <= now() and e.kind = any (kinds))
    ), waiting as (
      select d.id, d.tenant_id, d.next_look from busy p cross join lateral (
        select e.id, e.tenant_id, e.next_look from effect e
        where e.status = 'pending' and e.queue = p.queue and e.tenant_id = p.tenant_id
          and e.next_look <= now() and e.kind = any (kinds)
        order by e.due limit (select (max_rows + count(*) - 1) / count(*) from busy)) d
    ), lost as (
      select e.id, e.tenant_id, e.next_look from effect e
      where e.status = 'started' and e.next_look <= now() and e.kind = any (kinds)
      order by e.next_look limit max_rows
    ), turns as (
      select id, next_look, row_number() over (partition by tenant_id order by next_look) as turn
      from (select * from waiting union all select * from lost) found
    )
    select array_agg(id) into found_ids from (select id from turns order by turn, next_look limit max_rows) chosen;
  end if;
  select array_agg(e.id) into stranded
  from run r join effect e on e.run_id = r.id
  where r.cancel_requested and r.status <> 'ended'
    and (e.status = 'pending' or e.status = 'started' and e.held is not null) and e.next_look = 'infinity'
    and e.kind = any (kinds);
  return query
    with due as (
      select e.id, e.status = 'pending' and e.kind = 'tool.call'
        and not (select r.cancel_requested from run r where r.id = e.run_id) as waits
      from effect e
      where e.status in ('pending', 'started') and (
        e.id = any (found_ids) and e.next_look <= now() or e.id = any (stranded) and e.next_look = 'infinity')
      for update of e skip locked
    )
    update effect e set dispatches = e.dispatches + 1,
      next_look = case when due.waits then 'infinity' else now() + interval '1 millisecond' * again_ms end
    from due where e.id = due.id
    returning e.*;
end $$;

-- Pauses a target, or says anew why and until when, and records it. `taken`: it is paused under another id, otherwise; `full`:
-- the tenant has as many pauses as `most`. A pause that is over begins anew, under the new id.
create function set_pause(draft jsonb, most int, out code text, out pause_id uuid)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tenant text := draft ->> 'tenantId';
  kind text := draft #>> '{target,kind}';
  called text := draft #>> '{target,name}';
  ends timestamptz := from_ms((draft ->> 'until')::bigint);
  old pause;
begin
  perform check_tenant(tenant);
  if draft #>> '{told,tenantId}' is distinct from tenant then
    raise exception 'pause_malformed' using errcode = '22023';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(netstring(tenant) || 'pauses', 3));
  select * into old from pause p where p.tenant_id = tenant and p.target = kind and p.name = called for update;
  pause_id := (draft ->> 'pauseId')::uuid;
  if old.id is not null and coalesce(old.until > wall(), true) then
    code := case
      when old.reason = draft ->> 'reason' and old.until is not distinct from ends then 'unchanged'
      when old.id <> pause_id then 'taken'
      else 'changed' end;
    pause_id := old.id;
    if code <> 'changed' then
      return;
    end if;
    update pause set reason = draft ->> 'reason', until = ends, set_by = draft #>> '{told,event,actor}' where id = old.id;
  elsif (select count(*) from pause p where p.tenant_id = tenant and coalesce(p.until > wall(), true)) >= most then
    code := 'full';
    return;
  else
    code := 'created';
    delete from pause where id = old.id;
    insert into pause (id, tenant_id, target, name, reason, set_at, set_by, until)
    values (pause_id, tenant, kind, called, draft ->> 'reason', wall(), draft #>> '{told,event,actor}', ends);
  end if;
  perform record_in_ledger(draft -> 'told');
end $$;

-- Ends a pause of the tenant, and records it. False: there is none, or it is over.
create function lift_pause(tenant text, pause_id uuid, told jsonb) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  if told ->> 'tenantId' is distinct from tenant then
    raise exception 'pause_malformed' using errcode = '22023';
  end if;
  update pause set until = wall() where id = pause_id and tenant_id = tenant and coalesce(until > wall(), true);
  if not found then
    return false;
  end if;
  perform record_in_ledger(told);
  return true;
end $$;

-- The possible targets of a tenant's pauses: agents, tools and queues named by definitions that it has used.
create function pausable(tenant text) returns table (target text, name text)
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

-- Writers that may have missed what is committed now (P1), by the names of their transactions; of some of them, those that are
-- still under way.
create function pause_missed_by(among text[] default null) returns text[]
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select coalesce(array_agg(distinct l.virtualtransaction), '{}')
  from pg_locks l join pg_locks x on x.virtualtransaction = l.virtualtransaction
  where l.locktype = 'relation' and l.relation = 'signalbox.pause'::regclass
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.granted and l.pid <> pg_backend_pid()
    and x.locktype = 'transactionid' and x.mode = 'ExclusiveLock' and x.granted
    and (among is null or l.virtualtransaction = any (among))
$$;

alter table pause enable row level security;
alter table pause force row level security;
create policy owner_all on pause to signalbox_owner using (true) with check (true);
create policy engine_read on pause for select to signalbox_engine using (true);
create policy app_read on pause for select to signalbox_app using (tenant_id = current_setting('signalbox.tenant', true));
grant select on pause to signalbox_app, signalbox_engine;

revoke execute on function is_aimed_at, is_paused, hold_effect, release_held, set_pause, lift_pause, pausable, pause_missed_by from public;
grant execute on function is_aimed_at, pausable to signalbox_app, signalbox_engine;
grant execute on function set_pause, lift_pause, pause_missed_by to signalbox_engine;
