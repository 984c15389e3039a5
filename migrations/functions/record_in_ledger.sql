-- The ledger: acts of administrators and auditors belong to no run. Per tenant and month one run takes it, on the same chain.
--
-- A ledger run is a row of `run` with the machine `ledger` that has ended and is hidden, so that nothing admits, decides, counts,
-- lists or ends it. It holds notes only. Its id follows from the tenant and the month, its thread is its own; it has no agent and
-- no definition (`-` is the name of neither). It has no outcome, because it is no piece of work.
--
-- Locks: a ledger run is locked last, behind what its event tells of.
--
-- Appends a note, and creates the run if it is not there. The answer is `recorded`, or `known` if the run holds the key.
create or replace function record_in_ledger(draft jsonb) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  rid uuid := (draft ->> 'runId')::uuid;
  tenant text := draft ->> 'tenantId';
  r run;
  e event;
  moment timestamptz := wall();
begin
  perform check_tenant(tenant);
  if (fits(tenant) and are_events(jsonb_build_array(draft -> 'event')) and fits(coalesce(draft ->> 'key', '-'))
    and octet_length(draft #>> '{event,payload}') <= 16384) is not true
  then
    raise exception 'ledger_malformed' using errcode = '22023';
  end if;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, status, state_name,
    metadata, head_hash, created_at, updated_at, due_at, hidden, multitask)
  values (rid, tenant, rid::text, '-', '-', 'ledger', 1, 'ended', 'completed',
    '{}', genesis(tenant, rid), moment, moment, moment, true, 'enqueue')
  on conflict (id) do nothing;
  select * into r from run where id = rid for update;
  if r.tenant_id <> tenant or r.machine <> 'ledger' then
    raise exception 'not_a_ledger' using errcode = '22023';
  end if;
  if draft ->> 'key' is not null and exists (select from event where run_id = rid and key = draft ->> 'key') then
    return 'known';
  end if;
  e := link_event(r, draft -> 'event', draft ->> 'key');
  insert into event select (e).*;
  update run set seq = e.seq, head_hash = e.hash, updated_at = wall() where id = rid;
  return 'recorded';
end $$;

revoke execute on function record_in_ledger from public;
grant execute on function record_in_ledger to signalbox_app, signalbox_engine;
