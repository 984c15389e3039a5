-- Many runs at once: what a create costs, and whose turn it is where tenants wait for the same.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- As before, but for two things. The row is inserted as the item will leave it, as far as indexes hold that: the update that
-- follows then touches none of them, which was a third of the cost of a create. And there is `thread`: an expression as the
-- key of an index costs so much in the planner's estimate that, while the statistics know of no runs yet, an index of the tenant
-- alone seemed as good. Each create then read all runs of its tenant.
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

-- What waits, by queue and tenant: whose turn it is is found without reading what others have waiting. `due` changes only when an
-- effect becomes pending again, so that a look, a lease and its renewal cost nothing here.
create index effect_turn on effect (queue, tenant_id, due) where status = 'pending';

-- Effects that are due, and started ones whose lease expired. Each is looked at again after `again_ms`. If there are more than
-- are asked for, tenants take turns: each one's oldest, then each one's second. Whoever has more than its share left over has its
-- turn with the next call.
create or replace function take_due(kinds text[], again_ms bigint, max_rows int) returns setof effect
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  found_ids text[];
begin
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
  return query
    with due as (
      select e.id from effect e
      where e.id = any (found_ids) and e.status in ('pending', 'started') and e.next_look <= now()
      for update skip locked
    )
    update effect e set dispatches = e.dispatches + 1, next_look = now() + interval '1 millisecond' * again_ms
    from due where e.id = due.id
    returning e.*;
end $$;

-- Is a lane full? One answer for all who wait for it: whoever is created, and every look for whom to admit, would otherwise count
-- who is at work once for each of them.
create function lane_full(tenant text, key text, most int, rate int, per_ms bigint, moment timestamptz) returns boolean
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
