-- needs_code: 18
-- The ledger: acts of administrators and auditors belong to no run. Per tenant and month one run takes it, on the same chain.
--
-- A ledger run is a row of `run` with the machine `ledger` that has ended and is hidden, so that nothing admits, decides, counts,
-- lists or ends it. It holds notes only. Its id follows from the tenant and the month, its thread is its own; it has no agent and
-- no definition (`-` is the name of neither). It has no outcome, because it is no piece of work.
--
-- Locks: a ledger run is locked last, behind what its event tells of.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- Appends a note, and creates the run if it is not there. The answer is `recorded`, or `known` if the run holds the key.
create function record_in_ledger(draft jsonb) returns text
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

-- The definitions that runs of a tenant have used, or were about to: who may read them, and since when.
create table definition_use (
  tenant_id text not null,
  hash text not null,
  first_used_at timestamptz not null,
  primary key (tenant_id, hash)
);
insert into definition_use (tenant_id, hash, first_used_at)
select tenant_id, definition_hash, min(created_at) from run group by tenant_id, definition_hash;

alter table definition_use enable row level security;
alter table definition_use force row level security;
create policy owner_all on definition_use to signalbox_owner using (true) with check (true);
create policy engine_read on definition_use for select to signalbox_engine using (true);
create policy app_read on definition_use for select to signalbox_app
  using (tenant_id = current_setting('signalbox.tenant', true));
grant select on definition_use to signalbox_engine, signalbox_app;

-- Records the draft if the tenant of it never used the definition before.
create function use_definition(definition_hash text, draft jsonb) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(draft ->> 'tenantId');
  if fits(definition_hash) is not true then
    raise exception 'ledger_malformed' using errcode = '22023';
  end if;
  insert into definition_use values (draft ->> 'tenantId', definition_hash, wall()) on conflict do nothing;
  if not found then
    return 'known';
  end if;
  return record_in_ledger(draft);
end $$;

-- A definition that the tenant has used. No row for one that it has not, whoever else did.
create function used_definition(tenant text, definition_hash text)
returns table (body jsonb, first_used_at timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  return query select d.body, u.first_used_at from definition_use u join definition d on d.hash = u.hash
    where u.tenant_id = tenant and u.hash = definition_hash;
end $$;

-- Prices of the models of the definitions that a tenant has used, per million tokens: the agent's own model as 0, then its fallbacks.
create function model_prices(tenant text)
returns table (hash text, n int, provider text, model text, input numeric, cached numeric, output numeric)
language plpgsql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
begin
  perform check_tenant(tenant);
  return query select u.hash, m.n::int, m.model ->> 'provider', m.model ->> 'model',
      (m.model #>> '{price,inputPerMTok}')::numeric,
      coalesce(m.model #>> '{price,cachedInputPerMTok}', m.model #>> '{price,inputPerMTok}')::numeric,
      (m.model #>> '{price,outputPerMTok}')::numeric
    from definition_use u join definition d on d.hash = u.hash, lateral (
      select 0 as n, d.body -> 'model' as model
      union all
      select f.n, f.model from jsonb_array_elements(d.body -> 'fallbackModels') with ordinality f (model, n)) m
    where u.tenant_id = tenant;
end $$;

revoke execute on function record_in_ledger, use_definition, used_definition, model_prices from public;
grant execute on function used_definition, model_prices to signalbox_app;
grant execute on function record_in_ledger to signalbox_app, signalbox_engine;
grant execute on function use_definition to signalbox_engine;
