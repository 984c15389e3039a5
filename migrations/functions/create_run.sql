-- Inserts the run of a `create`, or says why not: exists, conflict, no_parent, no_base, busy, thread_full. Null: the run was inserted,
-- or is there. The caller holds the locks of the alias, of the parent, and of the thread if it is not just queued.
--
-- The row is inserted as the item will leave it, as far as indexes hold that: the update that follows then touches none of them,
-- which was a third of the cost of a create. `thread` is a variable because an expression as the key of an index costs so much in
-- the planner's estimate that, while the statistics know of no runs yet, an index of the tenant alone seemed as good: each create
-- then read all runs of its tenant.
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
  -- Runs of a memory stand on its thread, and no others do.
  if exists (select from thread t where t.tenant_id = tenant and t.thread_id = thread
      and (t.hidden_at is not null or t.kind = 'memory' and not c ? 'memory'))
    or c ? 'memory' and not exists (
      select from thread t where t.tenant_id = tenant and t.thread_id = thread and t.kind = 'memory')
  then
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

revoke execute on function create_run from public;
