-- Crons: runs that are created at times. A cron is the tenant's own data; the runs it makes stand in the register.
--
-- K1 A time is fired by creating a run under the alias `cron:<id>:<ms>`, and only then does the cron move on, from exactly
--    that time. Who dies between the two leaves the time due, and whoever comes next finds the run by its alias: each time
--    has one run, however many orchestrators fire it and whenever one of them stops.
-- K2 The clock that says what is due is that of the database.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

create table cron (
  id uuid primary key,
  tenant_id text not null,
  thread_id text,                         -- null: each run has a thread of its own
  assistant text not null,
  schedule text not null,
  timezone text,                          -- null: UTC
  end_at timestamptz,
  enabled boolean not null,
  body jsonb not null,                    -- of the create of each run, as it was sent
  metadata jsonb not null,
  maker jsonb not null,                   -- who made it, and whom its runs work for
  next_at timestamptz,                    -- null: never again, or not enabled
  last_at timestamptz,                    -- the time that was fired last, and what came of it: a run, or a problem
  last_run text,
  last_problem text,
  revision int not null default 1,        -- counts what its owner did, not what was fired
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index cron_by_tenant on cron (tenant_id, created_at, id);
create index cron_due on cron (next_at) where next_at is not null;

-- What is wrong with a cron whatever stands in the table.
create function is_cron(c jsonb) returns boolean
language sql stable
return fits(c ->> 'tenantId') and fits(coalesce(c ->> 'threadId', '-')) and fits(c ->> 'assistant')
  and char_length(c ->> 'schedule') between 1 and 100 and char_length(coalesce(c ->> 'timezone', '-')) between 1 and 100
  and jsonb_typeof(c -> 'body') = 'object' and jsonb_typeof(c -> 'metadata') = 'object'
  and jsonb_typeof(c -> 'maker') = 'object' and jsonb_typeof(c -> 'enabled') = 'boolean'
  and pg_column_size(c) <= 4194304;

-- Answers `ok`, or `full`: the tenant has 1000. Creates of one tenant wait for each other.
create function create_cron(c jsonb) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tenant text := c ->> 'tenantId';
begin
  perform check_tenant(tenant);
  if is_cron(c) is not true then
    raise exception 'cron_malformed' using errcode = '22023';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(netstring(tenant) || 'crons', 3));
  if (select count(*) from cron where tenant_id = tenant) >= 1000 then
    return 'full';
  end if;
  insert into cron (id, tenant_id, thread_id, assistant, schedule, timezone, end_at, enabled, body, metadata, maker,
    next_at, created_at, updated_at)
  values ((c ->> 'cronId')::uuid, tenant, c ->> 'threadId', c ->> 'assistant', c ->> 'schedule', c ->> 'timezone',
    from_ms((c ->> 'endAt')::bigint), (c ->> 'enabled')::boolean, c -> 'body', c -> 'metadata', c -> 'maker',
    from_ms((c ->> 'nextAt')::bigint), wall(), wall());
  return 'ok';
end $$;

-- Writes what its owner may change, if he saw the last revision. Its next time stands unless `reschedule`: it may be fired
-- right now.
create function update_cron(c jsonb, reschedule boolean) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(c ->> 'tenantId');
  if is_cron(c) is not true then
    raise exception 'cron_malformed' using errcode = '22023';
  end if;
  update cron set schedule = c ->> 'schedule', timezone = c ->> 'timezone', end_at = from_ms((c ->> 'endAt')::bigint),
    enabled = (c ->> 'enabled')::boolean, body = c -> 'body', metadata = c -> 'metadata',
    next_at = case when reschedule then from_ms((c ->> 'nextAt')::bigint) else next_at end,
    revision = revision + 1, updated_at = wall()
  where id = (c ->> 'cronId')::uuid and tenant_id = c ->> 'tenantId' and revision = (c ->> 'revision')::int;
  return found;
end $$;

create function delete_cron(tenant text, cron_id uuid) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  delete from cron where id = cron_id and tenant_id = tenant;
  return found;
end $$;

-- The cron moves on from a time that was fired. False: somebody else moved it on, or its owner did (K1).
create function advance_cron(cron_id uuid, fired_ms bigint, next_ms bigint, run text, problem text) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  update cron set next_at = from_ms(next_ms), last_at = next_at, last_run = run, last_problem = left(problem, 1000)
  where id = cron_id and next_at = from_ms(fired_ms);
  return found;
end $$;

alter table cron enable row level security;
alter table cron force row level security;
create policy owner_all on cron to signalbox_owner using (true) with check (true);
create policy engine_read on cron for select to signalbox_engine using (true);
create policy app_read on cron for select to signalbox_app using (tenant_id = current_setting('signalbox.tenant', true));
grant select on cron to signalbox_app, signalbox_engine;

revoke execute on function is_cron, create_cron, update_cron, delete_cron, advance_cron from public;
grant execute on function create_cron, update_cron, delete_cron to signalbox_app, signalbox_engine;
grant execute on function advance_cron to signalbox_engine;
