-- The register: runs, their events, effects, timers, and the one function that writes them.
--
-- Applied by `migrate()` inside one transaction; needs PostgreSQL 15 or newer, a UTF8 database, no extension.
--
-- Who may run it. A superuser, or (managed Postgres) a user with CREATEROLE and CREATE on the database. Such a user
-- creates the roles below and makes itself a member of signalbox_owner; where the roles exist already (another database
-- of the cluster holds a register), somebody must first `grant signalbox_owner to <user>`.
--
-- Roles. signalbox_owner (NOLOGIN) owns everything and is used by nobody. signalbox_app reads its current tenant
-- (`signalbox.tenant`) under forced row-level security; signalbox_engine reads all tenants; signalbox_maintenance makes
-- partitions; signalbox_queue has nothing here: it is BullMQ's, in a schema of its own. Nobody has INSERT, UPDATE or DELETE on any table: every write passes a SECURITY DEFINER function (I19).
--
-- Hash chain (I18). `‖` joins bytes. A netstring is `<length in octets>:<utf8>,`; null is `-,`.
--   payload_sha256 = sha256(salt ‖ JCS(payload))                           computed by the writer
--   digest         = sha256(netstrings of: type, type_version, at in ms as decimal, actor, tool, verdict, key, thread_id,
--                    payload_sha256 as hex)                                computed here, from the columns
--   hash_0         = sha256('signalbox.v1' ‖ 00 ‖ tenant_id ‖ 00 ‖ run_id as text)
--   hash_n         = sha256(hash_{n-1} ‖ int8send(seq) ‖ digest)
-- Erasing payload and salt leaves the chain verifiable. gpos and xid are physical positions and stand outside of it.
--
-- Locks, in this order, so that no two appends can wait for each other: aliases by hash, threads and lanes by hash, runs by
-- id, effects, approvals and family of a locked run. A batch that creates children locks the parents among its runs, all
-- before its first item. Only a create that looks at the other runs of its thread waits for the thread; who wants the slot
-- only tries. Who wants to be admitted waits for the lanes of its run, if it has some. take_due() and renew() skip locked effects and hold nothing else; a circuit is locked alone.
-- Budgets: the budget, then its reservations; no run or effect is locked with them.

do $roles$
declare
  role record;
begin
  for role in
    select * from (values
      ('signalbox_owner', 'nologin'),
      ('signalbox_app', 'login'),
      ('signalbox_engine', 'login'),
      ('signalbox_queue', 'login'),
      ('signalbox_maintenance', 'login')
    ) as r (name, login)
  loop
    if not exists (select from pg_roles where rolname = role.name) then
      begin
        execute format('create role %I %s', role.name, role.login);
        -- An idle writer would hold back the feed of every database of the cluster.
        execute format('alter role %I set idle_in_transaction_session_timeout = %L', role.name, '10s');
      exception when duplicate_object or unique_violation then
        null; -- Another database of this cluster migrates right now.
      end;
    end if;
  end loop;
  -- Since 16, who creates a role may administer it, but not yet act as it.
  if not pg_has_role(current_user, 'signalbox_owner',
    case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
  then
    execute format('grant signalbox_owner to %I', current_user);
  end if;
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'signalbox needs a database with encoding UTF8, this one has %', current_setting('server_encoding');
  end if;
end
$roles$;

create schema signalbox authorization signalbox_owner;
set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

create table migration (
  version int primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);

-- ---- tables ----

create table thread (
  thread_id text primary key check (char_length(thread_id) between 1 and 200),
  tenant_id text not null check (char_length(tenant_id) between 1 and 200),
  metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
  created_at timestamptz not null,
  content_key bytea not null check (octet_length(content_key) = 32),
  origin_run uuid,                        -- what was said before its first run: that run, through that event
  origin_seq int,
  hidden_at timestamptz                   -- deleted for its users: nothing of it is lost, and its id stays taken
);
create index thread_by_tenant on thread (tenant_id, created_at desc, thread_id);

create table definition (
  hash text primary key check (char_length(hash) between 1 and 200),
  body jsonb not null
);

create table blob (
  tenant_id text not null,
  thread_id text not null,
  key text not null check (char_length(key) between 1 and 200),
  mime text not null check (char_length(mime) <= 200),
  bytes bytea not null,
  primary key (tenant_id, thread_id, key)
);

-- run, event and effect have no CHECK constraints: Postgres parses each of them anew in every statement, which was a fifth
-- of the cost of an append. All their writes pass the functions below, which check instead.

-- The head row. The columns that every append changes stand in no index, so that its updates stay HOT: `ready` is false
-- before and after an append that brings a fact together with its decision.
create table run (
  id uuid primary key,
  tenant_id text not null,
  thread_id text not null,
  agent text not null,
  definition_hash text not null,
  machine text not null,
  machine_version int not null,
  status text not null default 'queued',  -- queued, running, waiting, ended
  state_name text not null default 'queued',
  outcome text,                           -- exactly when ended
  admitted boolean not null default false,
  ready boolean not null default false,
  cancel_requested boolean not null default false,
  seq int not null default 0,
  facts int not null default 0,
  decided int not null default 0,
  head_hash bytea not null,
  state jsonb,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  parent_id uuid,                         -- who started it, by which effect; all three null where nobody did
  parent_effect text,
  root_id uuid,                           -- the run at the top
  due_at timestamptz not null,            -- its place in the queue of its thread; not admitted before
  place int,                              -- its place in the conversation, from 1; null: it has said nothing
  base_run uuid,                          -- what it goes on from: that run, through that event; null: the run before it
  base_seq int,
  priority int not null default 0,        -- the higher goes first where runs wait for a lane
  laned boolean not null default false,   -- has it lanes?
  hidden boolean not null default false,  -- deleted for its users; what it said stays said
  multitask text not null                 -- enqueue and reject wait for the runs before it; interrupt and rollback end them
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create unique index run_slot on run (tenant_id, thread_id) where admitted and status <> 'ended';
create index run_open on run (tenant_id, thread_id, id) where status <> 'ended';
create index run_ready on run (id) where ready;
create index run_by_thread on run (tenant_id, thread_id, id);
create index run_by_tenant on run (tenant_id, id);
create index run_by_parent on run (parent_id, id) where parent_id is not null;
create index run_open_child on run (id) where parent_id is not null and status <> 'ended';
create unique index run_place on run (tenant_id, thread_id, place) where place is not null;
create index run_base on run (tenant_id, thread_id, place) where base_run is not null and place is not null;
create index run_delayed on run (due_at) where due_at > created_at and not admitted and status <> 'ended';
create index run_superseding on run (tenant_id, thread_id) where multitask in ('interrupt', 'rollback')
  and not admitted and status <> 'ended';

-- The limits that a run stands under: how many of a key may be at work at once, how many may start in a time. A run has a row
-- per key. It waits while admitted_at is null, and counts until it is over.
create table lane (
  run_id uuid not null,
  key text not null check (char_length(key) between 1 and 500),
  tenant_id text not null,
  most int,                               -- null: any number at once
  rate int,                               -- null: any number in a time; else that many within per_ms
  per_ms bigint,
  priority int not null,
  due_at timestamptz not null,
  admitted_at timestamptz,
  over boolean not null default false,
  primary key (run_id, key)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index lane_waiting on lane (tenant_id, key, priority desc, due_at, run_id) where admitted_at is null and not over;
create index lane_open on lane (tenant_id, key) where admitted_at is not null and not over;
create index lane_started on lane (tenant_id, key, admitted_at) where rate is not null;

create table alias (
  tenant_id text not null,
  key text not null check (char_length(key) between 1 and 200),
  run_id uuid not null,
  body_hash text not null check (char_length(body_hash) between 1 and 200),
  primary key (tenant_id, key)
);

create sequence event_gpos;

create table event (
  run_id uuid not null,
  seq int not null,
  gpos bigint not null,
  xid xid8 not null,
  at timestamptz not null,
  tenant_id text not null,
  thread_id text not null,
  type text not null,
  type_version int not null,
  actor text not null,
  tool text,
  verdict text,
  key text,
  payload jsonb,                          -- erased together with its salt
  salt bytea,
  payload_sha256 bytea not null,
  digest bytea not null,
  hash bytea not null,
  primary key (run_id, seq)
) partition by range (run_id);

create unique index event_key on event (run_id, key) where key is not null;
create index event_feed on event (xid, gpos);
create index event_by_thread on event (tenant_id, thread_id, at);
create index event_by_type on event (tenant_id, type, at);
create index event_by_tool on event (tenant_id, tool, at) where tool is not null;
create index event_by_actor on event (tenant_id, actor, at);
create index event_by_verdict on event (tenant_id, verdict, at) where verdict is not null;
create index event_at on event using brin (at);

do $lz4$
begin
  if 'lz4' = any (
    (select enumvals from pg_settings where name = 'default_toast_compression')::text[]
  ) then
    alter table event alter column payload set compression lz4;
  end if;
end
$lz4$;

create table event_default partition of event default;

-- Outbox, lease and result-dedupe in one row. `due`: no claim before. `next_look`: when the reconciler looks again.
create table effect (
  id text primary key,
  run_id uuid not null,
  tenant_id text not null,
  kind text not null,
  queue text not null,
  mode text not null,
  tool text,
  status text not null default 'pending', -- pending, started, done, unknown, cancelled
  attempt int not null default 0,
  owner text,
  lease_until timestamptz,                -- only while started; null then: it goes on by itself, a run that was started
  due timestamptz not null,
  next_look timestamptz not null,
  dispatches int not null default 0,
  spec jsonb not null
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create index effect_next_look on effect (next_look) where status in ('pending', 'started');
create index effect_open on effect (run_id) where status in ('pending', 'started', 'unknown');
create index effect_child on effect (run_id) where kind = 'run.start' and status = 'started';
create index effect_unknown on effect (tenant_id) where status = 'unknown';

create table timer (
  run_id uuid not null,
  id text not null,
  tenant_id text not null,
  fire_at timestamptz not null,
  primary key (run_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index timer_fire_at on timer (fire_at);

-- Where approvals were asked for, and which wait: what an event says of itself, under keys that its payload has none of. As
-- partial indexes of `event` the same cost every append a tenth; here only those pay that are about an approval.
create table approval (
  run_id uuid not null,
  seq int not null,
  tenant_id text not null,
  id text not null,
  call_id text not null,
  at timestamptz not null,
  waits boolean not null default true,    -- nothing settled it yet, and the run lives
  primary key (run_id, seq)
);
create index approval_by_id on approval (tenant_id, id);
create index approval_waits on approval (tenant_id, at, run_id, seq) where waits;

-- Approvals that a human gave for every run of the agent. The event has the last word: erased, it grants nothing.
create table approval_grant (
  tenant_id text not null,
  agent text not null,
  tool text not null,
  args_hash text not null,
  run_id uuid not null,
  seq int not null,
  primary key (tenant_id, agent, tool, args_hash, run_id, seq)
);

-- What trees of runs may use, and have used: money in millionths. `held` is the sum of the reservations that are open.
create table budget (
  root_id uuid primary key,
  tenant_id text not null,
  turns int not null,
  calls int not null,
  tokens bigint not null,
  cost bigint,                            -- null: no limit
  turns_spent int not null default 0,
  calls_spent int not null default 0,
  tokens_spent bigint not null default 0,
  cost_spent bigint not null default 0,
  tokens_held bigint not null default 0,
  cost_held bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- What effects took. A closed one stays as long as its tree: repeated, it counts no turn and no call.
create table reservation (
  root_id uuid not null,
  effect_id text not null,
  tenant_id text not null,
  tokens bigint not null,
  cost bigint not null,
  open boolean not null default true,
  primary key (root_id, effect_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index reservation_open on reservation (root_id, effect_id) where open;

-- Circuits of models, shared by all orchestrators and tenants. A model without a row has not failed since it last answered.
create table breaker (
  model text primary key check (char_length(model) between 1 and 200),
  failures int not null,                  -- in a row
  opened_at timestamptz,                  -- null while closed
  probe_at timestamptz                    -- when the probe under way was let through, null if none is
) with (fillfactor = 50);

-- ---- time ----

-- Stable, although immutable in truth: what they are made of is declared stable, and only so Postgres inlines them.

create function from_ms(ms bigint) returns timestamptz
language sql stable parallel safe
return timestamptz '1970-01-01 00:00:00+00' + interval '1 millisecond' * ms;

create function to_ms(t timestamptz) returns bigint
language sql stable parallel safe
return (extract(epoch from t) * 1000)::bigint;

-- Read after a lock was obtained, never before it: what stands in the row must not lie in our future. The clock of
-- the database is the only clock that leases, timers and delays know.
create function wall() returns timestamptz
language sql volatile
return date_trunc('milliseconds', clock_timestamp());

-- ---- partitions ----

-- The smallest UUIDv7 of a moment: its first 48 bits are milliseconds since the epoch.
create function uuid_bound(t timestamptz) returns uuid
language sql stable
return (lpad(to_hex(to_ms(t)), 12, '0') || '00000000000000000000')::uuid;

-- Makes the partitions of this month and of the next ones, and answers how many were missing. A month that is late moves
-- its rows out of the default partition. ATTACH spares the parent the exclusive lock that CREATE ... PARTITION OF takes.
create function ensure_partitions(months_ahead int default 3) returns int
language plpgsql security definer
set search_path = pg_catalog, signalbox, pg_temp
set timezone = 'UTC'
set lock_timeout = '5s'
as $$
declare
  first timestamptz;
  name text;
  made int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('signalbox.partitions', 0));
  for n in 0 .. least(greatest(months_ahead, 0), 120) loop
    first := date_trunc('month', now()) + make_interval(months => n);
    name := 'event_' || to_char(first, 'YYYY_MM');
    continue when to_regclass('signalbox.' || name) is not null;
    execute format('create table signalbox.%I (like signalbox.event including defaults including constraints'
      || ' including storage including compression)', name);
    execute format('with late as (delete from signalbox.event_default where run_id >= %L and run_id < %L returning *)'
      || ' insert into signalbox.%I select * from late',
      uuid_bound(first), uuid_bound(first + interval '1 month'), name);
    execute format('alter table signalbox.event attach partition signalbox.%I for values from (%L) to (%L)',
      name, uuid_bound(first), uuid_bound(first + interval '1 month'));
    made := made + 1;
  end loop;
  return made;
end $$;

-- ---- the write path ----

create function netstring(t text) returns text
language sql immutable parallel safe
return coalesce(octet_length(t)::text || ':' || t || ',', '-,');

create function genesis(tenant text, run uuid) returns bytea
language sql immutable parallel safe
return sha256(convert_to('signalbox.v1', 'UTF8') || '\x00'::bytea || convert_to(tenant, 'UTF8') || '\x00'::bytea
  || convert_to(run::text, 'UTF8'));

-- A caller that is not the engine writes for its own tenant only (I19).
create function check_tenant(tenant text) returns void
language plpgsql stable as $$
begin
  if not pg_has_role(session_user, 'signalbox_engine', 'member')
    and tenant is distinct from current_setting('signalbox.tenant', true)
  then
    raise exception 'the tenant is not the current one' using errcode = '42501';
  end if;
end $$;

-- An id, a name or a key: what an index holds. A btree key ends at about 2.7 kB.
create function fits(t text) returns boolean
language sql immutable parallel safe
return char_length(t) between 1 and 200;

-- An id of ours. The length is asked apart: a counted repetition makes a regular expression fifty times slower.
create function is_id(t text) returns boolean
language sql immutable parallel safe
return char_length(t) between 1 and 200 and t ~ '^[A-Za-z0-9._-]+$';

-- The row of the event that follows `r` in the chain. All columns in one expression: each statement of plpgsql costs.
create function link_event(r run, draft jsonb, event_key text) returns event
language plpgsql volatile as $$
declare
  e event;
  at_ms bigint := (draft ->> 'at')::bigint;
begin
  e := row(r.id, r.seq + 1, nextval('event_gpos'), pg_current_xact_id(), from_ms(at_ms), r.tenant_id, r.thread_id,
    draft ->> 'type', (draft ->> 'version')::int, draft ->> 'actor', draft ->> 'tool', draft ->> 'verdict', event_key,
    draft -> 'payload', decode(draft ->> 'salt', 'hex'), decode(draft ->> 'payloadHash', 'hex'), null, null)::event;
  if (fits(e.type) and fits(e.actor) and fits(coalesce(e.tool, '-')) and fits(coalesce(e.verdict, '-'))
    and fits(coalesce(e.key, '-')) and octet_length(e.salt) = 16 and octet_length(e.payload_sha256) = 32
    and jsonb_typeof(e.payload) = 'object') is not true
  then
    raise exception 'event_malformed' using errcode = '22023';
  end if;
  e.digest := sha256(convert_to(netstring(e.type) || netstring(e.type_version::text) || netstring(at_ms::text)
    || netstring(e.actor) || netstring(e.tool) || netstring(e.verdict) || netstring(e.key) || netstring(e.thread_id)
    || netstring(encode(e.payload_sha256, 'hex')), 'UTF8'));
  e.hash := sha256(r.head_hash || int8send(e.seq) || e.digest);
  return e;
end $$;

-- What is wrong with an item whatever stands in the register, null if nothing.
create function item_problem(item jsonb) returns text
language plpgsql stable as $$
declare
  c jsonb := item -> 'create';
  d jsonb := item -> 'decision';
begin
  if c is not null then
    if (item #>> '{facts,0,type}') is distinct from 'run.created' then
      return 'create_without_run_created';
    end if;
    if (fits(item ->> 'tenantId') and fits(c ->> 'threadId') and fits(c ->> 'agent') and fits(c ->> 'definitionHash')
      and fits(c ->> 'machine') and jsonb_typeof(c -> 'metadata') = 'object'
      and coalesce(c ->> 'multitask', 'enqueue') in ('enqueue', 'reject', 'interrupt', 'rollback')
      and coalesce(c ->> 'delayMs', '0') ~ '^[0-9]{1,12}$'
      and coalesce(c ->> 'priority', '0') ~ '^-?[0-9]{1,4}$'
      and coalesce(jsonb_array_length(c -> 'lanes'), 0) <= 8) is not true
    then
      return 'create_malformed';
    end if;
  end if;
  if d is not null then
    if (d #>> '{events,0,type}') is distinct from 'run.transitioned' then
      return 'decision_without_run_transitioned';
    end if;
    if octet_length(d ->> 'state') > 2048 then
      return 'state_too_large';
    end if;
    if (d ->> 'status' in ('queued', 'running', 'waiting', 'ended') and fits(d ->> 'stateName')
      and (d ->> 'status' = 'ended') = (fits(d ->> 'outcome') is true)) is not true
    then
      return 'decision_malformed';
    end if;
    for n in 0 .. coalesce(jsonb_array_length(d -> 'effects'), 0) - 1 loop
      c := d -> 'effects' -> n;
      if (is_id(c ->> 'id') and starts_with(c ->> 'id', (item ->> 'runId') || '.')
        and c ->> 'kind' in ('model.call', 'tool.call', 'run.start', 'policy.evaluate', 'webhook.deliver')
        and c ->> 'mode' in ('read', 'idempotent', 'once') and fits(c ->> 'queue') and fits(coalesce(c ->> 'tool', '-'))
        ) is not true
      then
        return 'effect_malformed';
      end if;
    end loop;
    for n in 0 .. coalesce(jsonb_array_length(d -> 'timers'), 0) - 1 loop
      if (char_length(d -> 'timers' -> n ->> 'id') between 1 and 150) is not true then
        return 'timer_malformed';
      end if;
    end loop;
  end if;
  if item ? 'settle' then
    c := item -> 'settle';
    if (is_id(c ->> 'effectId') and (c ->> 'attempt') ~ '^[0-9]{1,9}$' and (c ->> 'delayMs') ~ '^[0-9]{1,10}$'
      and c ->> 'expect' in ('started', 'done') and c ->> 'becomes' in ('done', 'pending')) is not true
    then
      return 'settle_malformed';
    end if;
  end if;
  for n in 0 .. coalesce(jsonb_array_length(item -> 'claims'), 0) - 1 loop
    c := item -> 'claims' -> n;
    if (is_id(c ->> 'owner') and char_length(c ->> 'owner') <= 100 and is_id(c ->> 'effectId')
      and (c ->> 'leaseMs') ~ '^[1-9][0-9]{0,8}$') is not true
    then
      return 'claim_malformed';
    end if;
  end loop;
  return null;
end $$;

-- Events an item may add. A run holds 10000; while it lives, the last 100 are kept for what ends it: `crowded` says that an
-- item starts work (claims, or a decision with effects that is not final) although only they are left.
create function item_events(item jsonb) returns int
language sql immutable
return coalesce(jsonb_array_length(item -> 'facts'), 0) + coalesce(jsonb_array_length(item -> 'notes'), 0)
  + coalesce(jsonb_array_length(item -> 'claims'), 0) + coalesce(jsonb_array_length(item #> '{decision,events}'), 0);

create function crowded(seq int, item jsonb) returns boolean
language sql immutable
return seq + item_events(item) > 9900 and (
  coalesce(jsonb_array_length(item -> 'claims'), 0) > 0
  or coalesce(item #>> '{decision,status}' <> 'ended' and jsonb_array_length(item #> '{decision,effects}') > 0, false));

-- The answer for an item of which nothing was written. Names the run that the alias belongs to, if any.
create function refusal(answer text, problem text, run_id uuid) returns jsonb
language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object('code', answer, 'detail', problem)) || jsonb_build_object(
    'runId', refusal.run_id, 'admitted', coalesce(r.admitted, false), 'seq', coalesce(r.seq, 0),
    'facts', coalesce(r.facts, 0), 'decided', coalesce(r.decided, 0),
    'factCodes', '[]'::jsonb, 'decisionCode', null, 'claims', '[]'::jsonb)
  from (values (1)) one left join run r on r.id = refusal.run_id and answer in ('exists', 'conflict')
$$;

-- Inserts the run of a `create`, or says why not: exists, conflict, no_parent, no_base, busy, thread_full. Null: the run was inserted,
-- or is there. The caller holds the locks of the alias, of the parent, and of the thread if it is not just queued.
create function create_run(item jsonb, rid uuid) returns jsonb
language plpgsql volatile as $$
declare
  c jsonb := item -> 'create';
  tenant text := item ->> 'tenantId';
  parent uuid;
  parent_effect text;
  root uuid;
  taken record;
  moment timestamptz := wall();
  due timestamptz := moment;
  strategy text := coalesce(c ->> 'multitask', 'enqueue');
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
  if exists (select from thread where tenant_id = tenant and thread_id = c ->> 'threadId' and hidden_at is not null) then
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
    perform from run b, lineage(tenant, c ->> 'threadId', b.id) heard
    where b.id = (c #>> '{base,runId}')::uuid and b.tenant_id = tenant and b.place is not null
      and heard.run_id = b.id and (c #>> '{base,seq}')::int between 1 and coalesce(heard.through, b.seq);
    if not found then
      return refusal('no_base', null, rid);
    end if;
  end if;
  -- Counted without a lock: creates that race may exceed the limit by their number.
  if (select count(*) from (select from run where tenant_id = tenant and thread_id = c ->> 'threadId'
      and status <> 'ended' and not admitted limit 1000) waiting) >= 1000 then
    return refusal('thread_full', null, rid);
  end if;
  if strategy <> 'enqueue' then
    -- Behind all that is due: who supersedes must never stand before them because two clocks or two ids say so.
    select max(due_at) + interval '1 millisecond' into due from run
    where tenant_id = tenant and thread_id = c ->> 'threadId' and status <> 'ended' and due_at <= moment;
    if due is not null and strategy = 'reject' then
      return refusal('busy', null, rid);
    end if;
    due := greatest(moment, due);
  end if;
  if c ? 'delayMs' then
    due := due + interval '1 millisecond' * (c ->> 'delayMs')::bigint;
  end if;
  insert into run (id, tenant_id, thread_id, agent, definition_hash, machine, machine_version, metadata, head_hash,
    created_at, updated_at, parent_id, parent_effect, root_id, due_at, multitask, base_run, base_seq, priority,
    laned)
  values (rid, tenant, c ->> 'threadId', c ->> 'agent', c ->> 'definitionHash', c ->> 'machine',
    (c ->> 'machineVersion')::int, c -> 'metadata', genesis(tenant, rid), moment, moment,
    parent, parent_effect, root, due, strategy,
    (c #>> '{base,runId}')::uuid, (c #>> '{base,seq}')::int,
    coalesce((c ->> 'priority')::int, 0), c ? 'lanes')
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

-- The runs whose events, up to `through`, are the conversation that a run sees, its own included; of a thread without a run
-- named, what its next run will see. In order: stretch by stretch from the greatest, in each by place. A stretch is a part of a
-- thread; it begins where a run goes on from elsewhere, or with the thread, which may have an origin elsewhere. What was
-- rolled back is left out, unless it is what somebody goes on from. A thread has heard its own runs, and its origin with all
-- that was said before that: of any other run it is told nothing.
create function lineage(tenant text, thread text, run uuid default null)
returns table (stretch int, place int, run_id uuid, through int)
language plpgsql stable rows 20
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
declare
  t record;
  r record;
  base record;
  next_run uuid := lineage.run;
  next_seq int;
begin
  stretch := 0;
  -- A run that has no place yet hears what it goes on from, or what the next run of its thread would.
  if next_run is not null then
    select place, base_run, base_seq into r from signalbox.run
    where id = next_run and tenant_id = lineage.tenant and thread_id = lineage.thread;
    if found and r.place is null then
      next_run := r.base_run;
      next_seq := r.base_seq;
    end if;
  end if;
  if next_run is null then
    select origin_run, origin_seq into t from signalbox.thread
    where tenant_id = lineage.tenant and thread_id = lineage.thread;
    select id into next_run from signalbox.run
    where tenant_id = lineage.tenant and thread_id = lineage.thread and place is not null
      and outcome is distinct from 'rolled_back'
    order by place desc limit 1;
    if not found then
      next_run := t.origin_run;
      next_seq := t.origin_seq;
    end if;
  elsif next_seq is null and not exists (select from signalbox.run
    where id = next_run and tenant_id = lineage.tenant and thread_id = lineage.thread)
  then
    select case when heard.run_id = o.id then h.origin_seq else heard.through end into next_seq
    from signalbox.thread h
      join signalbox.run o on o.id = h.origin_run and o.tenant_id = h.tenant_id,
      signalbox.lineage(h.tenant_id, o.thread_id, o.id) heard
    where h.tenant_id = lineage.tenant and h.thread_id = lineage.thread and heard.run_id = next_run;
    if not found then
      return;
    end if;
  end if;
  while next_run is not null and stretch < 1000 loop
    select id, tenant_id, thread_id, place into r from signalbox.run where id = next_run and tenant_id = lineage.tenant;
    exit when not found;
    select id, place, base_run, base_seq into base from signalbox.run
    where tenant_id = r.tenant_id and thread_id = r.thread_id and place <= r.place and base_run is not null
      and (outcome is distinct from 'rolled_back' or id = r.id)
    order by place desc limit 1;
    return query
      select lineage.stretch, o.place, o.id, case when o.id = r.id then next_seq end from signalbox.run o
      where o.tenant_id = r.tenant_id and o.thread_id = r.thread_id
        and o.place between coalesce(base.place, 1) and r.place
        and (o.outcome is distinct from 'rolled_back' or o.id = r.id);
    stretch := stretch + 1;
    if base.id is not null then
      next_run := base.base_run;
      next_seq := base.base_seq;
    else
      select origin_run, origin_seq into next_run, next_seq from signalbox.thread
      where tenant_id = r.tenant_id and thread_id = r.thread_id;
    end if;
  end loop;
end $$;

-- All that was said on a thread, whatever goes on from what: its runs by place, behind what was said before it began. What was
-- rolled back is there only if somebody goes on from it.
create function branches(tenant text, thread text)
returns table (stretch int, place int, run_id uuid, through int)
language sql stable rows 20
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select 0, r.place, r.id, null::int from thread t
    join run r on r.tenant_id = t.tenant_id and r.thread_id = t.thread_id and r.place is not null
  where t.tenant_id = branches.tenant and t.thread_id = branches.thread and (r.outcome is distinct from 'rolled_back' or exists (
    select from run f
    where f.tenant_id = r.tenant_id and f.thread_id = r.thread_id and f.place is not null and f.base_run = r.id
      and f.outcome is distinct from 'rolled_back'))
  union all
  select 1 + said.stretch, said.place, said.run_id, case when said.run_id = o.id then t.origin_seq else said.through end
  from thread t
    join run o on o.id = t.origin_run and o.tenant_id = t.tenant_id,
    lineage(t.tenant_id, o.thread_id, o.id) said
  where t.tenant_id = branches.tenant and t.thread_id = branches.thread
$$;

-- The lock of a thread: who holds it sees every run of the thread that was created under it.
create function thread_lock(tenant text, thread text) returns bigint
language sql immutable parallel safe
return hashtextextended(netstring(tenant) || netstring(thread), 1);

-- Who admits a run of a lane holds its lock: so nobody counts what another is about to add.
create function lane_lock(tenant text, key text) returns bigint
language sql immutable parallel safe
return hashtextextended(netstring(tenant) || netstring(key), 3);

-- Is one of the run's lanes full? A run that waits for a human is not at work, and does not count.
create function lanes_full(run uuid, moment timestamptz) returns boolean
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

-- Who is created stands behind all that wait for one of its lanes: their turn comes first.
create function lane_awaited(run uuid) returns boolean
language sql stable
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select exists (
    select from lane l join lane o on o.tenant_id = l.tenant_id and o.key = l.key
    where l.run_id = lane_awaited.run and o.run_id <> l.run_id and o.admitted_at is null and not o.over
      and o.due_at <= l.due_at)
$$;

-- The place that the run gets with its thread's slot; null if it may not have it yet. The lock is tried, never waited for: who
-- does not get it stays queued, and the poll of admissible runs comes back to it. Held to the end of the transaction, it keeps
-- `run_slot` from ever blocking, and places from being given twice.
-- Two statements, not one: the second needs a snapshot from after the lock, or it misses who held it just before.
create function admission_of(r run, moment timestamptz) returns int
language plpgsql volatile as $$
begin
  if r.due_at > moment or not pg_try_advisory_xact_lock(thread_lock(r.tenant_id, r.thread_id)) then
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

-- Does the fence of a fact hold? Then the effect has become what the fact says.
create function pass_fence(r run, fence jsonb, moment timestamptz) returns boolean
language plpgsql volatile as $$
declare
  becomes text := fence ->> 'becomes';
begin
  update effect set
    status = becomes,
    lease_until = null,
    due = case when becomes = 'pending' then moment else due end,
    -- What goes on without a lease is ended by a fact, and is nobody's to look after.
    next_look = case becomes when 'pending' then moment when 'started' then 'infinity' else next_look end
  where id = fence ->> 'effectId' and run_id = r.id and case fence ->> 'expect'
    when 'started' then status = 'started' and attempt = (fence ->> 'attempt')::int
    when 'lost' then status = 'started' and attempt = (fence ->> 'attempt')::int and lease_until <= moment
    when 'pending' then status = 'pending'
    when 'unknown' then status = 'unknown'
    else false
  end;
  return found;
end $$;

-- A fact about a timer takes the timer away; it is a repetition if that timer is not there, or was moved.
create function pass_timer(r run, event_key text) returns boolean
language plpgsql volatile as $$
declare
  parts text[];
begin
  if not starts_with(event_key, 'timer:') then
    return true;
  end if;
  parts := regexp_match(event_key, '^timer:(.+):([0-9]{1,15})$');
  delete from timer where run_id = r.id and id = parts[1] and fire_at = from_ms(parts[2]::bigint);
  return found;
end $$;

-- What an event about an approval leaves behind. `call.denied` and a repeated answer mostly find nothing that waits.
create function keep_approval(r run, e event) returns void
language plpgsql volatile as $$
declare
  p jsonb := e.payload;
begin
  if e.type = 'approval.requested' then
    if fits(p ->> 'approvalId') and fits(p ->> 'callId') then
      insert into approval (run_id, seq, tenant_id, id, call_id, at)
      values (e.run_id, e.seq, e.tenant_id, p ->> 'approvalId', p ->> 'callId', e.at);
    end if;
    return;
  end if;
  update approval set waits = false where run_id = e.run_id and call_id = p ->> 'callId' and waits;
  if e.type = 'approval.answered' and p ->> 'scope' = 'always' and p ->> 'decision' = 'approve'
    and e.tool is not null and fits(p ->> 'argsHash')
  then
    insert into approval_grant (tenant_id, agent, tool, args_hash, run_id, seq)
    values (e.tenant_id, r.agent, e.tool, p ->> 'argsHash', e.run_id, e.seq);
  end if;
end $$;

-- What a decision does besides its events: effects, timers, and the end.
create function apply_decision(r run, d jsonb, moment timestamptz) returns void
language plpgsql volatile as $$
declare
  t jsonb;
  fire timestamptz;
begin
  if jsonb_array_length(d -> 'effects') > 0 then
    insert into effect (id, run_id, tenant_id, kind, queue, mode, tool, due, next_look, spec)
    select e ->> 'id', r.id, r.tenant_id, e ->> 'kind', e ->> 'queue', e ->> 'mode', e ->> 'tool',
      moment + interval '1 millisecond' * (e ->> 'delayMs')::bigint,
      -- Whoever decided announces what may start at once; the reconciler leaves him two seconds for it.
      moment + case when (e ->> 'delayMs')::bigint = 0 then interval '2 seconds'
        else interval '1 millisecond' * (e ->> 'delayMs')::bigint end, e
    from jsonb_array_elements(d -> 'effects') e;
  end if;
  if jsonb_array_length(d -> 'clearTimers') > 0 then
    delete from timer where run_id = r.id and id in (select jsonb_array_elements_text(d -> 'clearTimers'));
  end if;
  for n in 0 .. jsonb_array_length(d -> 'timers') - 1 loop
    t := d -> 'timers' -> n;
    fire := moment + interval '1 millisecond' * (t ->> 'afterMs')::bigint;
    -- A timer that is set again within the millisecond in which it fired must not meet the key of that firing.
    while exists (select from event where run_id = r.id and key = 'timer:' || (t ->> 'id') || ':' || to_ms(fire)) loop
      fire := fire + interval '1 millisecond';
    end loop;
    insert into timer (run_id, id, tenant_id, fire_at) values (r.id, t ->> 'id', r.tenant_id, fire)
    on conflict (run_id, id) do update set fire_at = excluded.fire_at;
  end loop;
  if d ->> 'status' = 'ended' then
    -- What still runs may finish, as a note; nobody has to look after it any more. The end of a run that was started is
    -- awaited by nobody now: that is cancelled. Only what tells others of the run outlives it.
    update effect set next_look = 'infinity',
      status = case when status = 'pending' or kind = 'run.start' then 'cancelled' else status end
    where run_id = r.id and status in ('pending', 'started') and kind <> 'webhook.deliver';
    delete from timer where run_id = r.id;
    update approval set waits = false where run_id = r.id and waits;
    if r.laned then
      update lane set over = true where run_id = r.id;
    end if;
  end if;
end $$;

-- Claims one effect if it may be claimed. Answers the code, the attempt, and when ok the draft of `effect.started`.
create function claim_effect(r run, c jsonb, moment timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  e effect;
  answer text;
  body text;
begin
  -- Nearly every claim is granted: first the grant, and only then the question why not. Others are told of a run also
  -- when it has ended, or is to end.
  update effect set status = 'started', attempt = attempt + 1, owner = c ->> 'owner',
    lease_until = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint,
    next_look = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint
  where id = c ->> 'effectId' and run_id = r.id
    and (not r.cancel_requested and r.status <> 'ended' or kind = 'webhook.deliver') and (
    status = 'pending' and due <= moment or status = 'started' and lease_until <= moment and mode <> 'once')
  returning * into e;
  if not found then
    select * into e from effect where id = c ->> 'effectId' and run_id = r.id;
    answer := case
      when e.id is null then 'gone'
      when (r.cancel_requested or r.status = 'ended') and e.kind <> 'webhook.deliver' then 'cancelled'
      when e.status not in ('pending', 'started') then 'gone'
      when e.status = 'pending' then 'early'
      when e.lease_until <= moment and e.mode = 'once' then 'lost'
      else 'leased'
    end;
    return jsonb_build_object('effectId', c -> 'effectId', 'code', answer, 'attempt', coalesce(e.attempt, 0));
  end if;
  -- Canonical by construction: keys in order, and the charset of both texts needs no escape.
  body := '{"attempt":' || e.attempt || ',"effectId":"' || e.id || '","leaseMs":' || (c ->> 'leaseMs')
    || ',"owner":"' || (c ->> 'owner') || '"}';
  return jsonb_build_object('effectId', e.id, 'code', 'ok', 'attempt', e.attempt, 'draft', jsonb_build_object(
    'type', 'effect.started', 'version', 1, 'at', c -> 'at', 'actor', c -> 'owner', 'tool', e.tool, 'verdict', null,
    'payload', body::jsonb, 'salt', c -> 'salt',
    'payloadHash', encode(sha256(decode(c ->> 'salt', 'hex') || convert_to(body, 'UTF8')), 'hex')));
end $$;

-- Moves an effect whose outcome is a note: the attempt that holds it ends it, or leaves it to another after a while; and one
-- that was ended is asked for once more. Answers whether the effect was as expected.
create function settle_effect(r run, s jsonb, moment timestamptz) returns boolean
language plpgsql volatile as $$
declare
  due_at timestamptz := moment + interval '1 millisecond' * (s ->> 'delayMs')::bigint;
begin
  update effect set status = s ->> 'becomes', lease_until = null, due = due_at, next_look = due_at
  where id = s ->> 'effectId' and run_id = r.id and kind = 'webhook.deliver'
    and status = s ->> 'expect' and attempt = (s ->> 'attempt')::int;
  return found;
end $$;

-- What became of an item: the answer, and the events to insert.
create type appended as (answer jsonb, events event[]);

-- One item: run, facts, decision, notes, claims, in this order, under the lock of the run. Loops count, instead of asking
-- a query for elements, and conditions on tables stand alone: what plpgsql can compute without the executor costs a tenth.
create function append_item(item jsonb) returns appended
language plpgsql volatile as $$
declare
  rid uuid := (item ->> 'runId')::uuid;
  d jsonb := item -> 'decision';
  through int := (d ->> 'through')::int;
  r run;
  e event;
  events event[] := '{}';
  moment timestamptz;
  part jsonb;
  problem text := item_problem(item);
  crowd boolean;
  shut_out boolean := false;
  fact_key text;
  fact_keys text[] := '{}';
  answer text;
  codes text[] := '{}';
  all_ok boolean := true;
  decision_code text;
  claims jsonb := '[]';
  settled boolean;
begin
  if problem is null and item_events(item) > 10000 then
    problem := 'history_too_long';
  end if;
  if problem is not null then
    return (refusal('rejected', problem, rid), null)::appended;
  end if;
  if item ? 'create' then
    part := create_run(item, rid);
    if part is not null then
      return (part, null)::appended;
    end if;
  end if;
  select * into r from run where id = rid for update;
  if r.id is null or r.tenant_id <> item ->> 'tenantId' then
    return (refusal('no_run', null, rid), null)::appended;
  end if;
  moment := wall();
  -- Facts that come with a decision are not refused for its sake: it is, below.
  crowd := r.status <> 'ended' and crowded(r.seq, item);
  if r.seq + item_events(item) > 10000 or (crowd and coalesce(jsonb_array_length(item -> 'facts'), 0) = 0) then
    return (refusal('rejected', 'history_too_long', rid), null)::appended;
  end if;

  if (item ->> 'admit')::boolean and not r.admitted then
    if r.status <> 'ended' and not (r.laned and item ? 'create' and lane_awaited(rid)) then
      r.place := admission_of(r, moment);
    end if;
    r.admitted := r.place is not null;
    shut_out := not r.admitted;
    if r.admitted and r.laned then
      update lane set admitted_at = moment where run_id = rid;
    end if;
  end if;

  for n in 0 .. coalesce(jsonb_array_length(item -> 'facts'), 0) - 1 loop
    part := item -> 'facts' -> n;
    fact_key := part ->> 'key';
    if shut_out and part ->> 'type' = 'run.admitted' then
      answer := 'not_admitted';
    elsif fact_key = any (fact_keys) then
      answer := 'duplicate';
    elsif exists (select from event where run_id = rid and key = fact_key) then
      answer := 'duplicate';
    elsif r.status = 'ended' then
      answer := 'ended';
    elsif not pass_timer(r, fact_key) then
      answer := 'duplicate';
    elsif part ->> 'fence' is not null and not pass_fence(r, part -> 'fence', moment) then
      answer := 'fenced';
    else
      answer := 'ok';
      e := link_event(r, part, fact_key);
      events := events || e;
      fact_keys := fact_keys || fact_key;
      r.seq := e.seq;
      r.facts := e.seq;
      r.head_hash := e.hash;
      r.cancel_requested := r.cancel_requested or e.type = 'cancel.requested';
      if e.type = 'approval.answered' then
        perform keep_approval(r, e);
      end if;
    end if;
    codes := codes || answer;
    all_ok := all_ok and answer = 'ok';
  end loop;

  if d is not null then
    decision_code := case
      when shut_out then 'not_admitted'
      when crowd or r.status = 'ended' or (d ->> 'decided')::int <> r.decided then 'stale'
      when through <= r.decided or through > r.facts then 'stale'
      -- Made together with the facts of this item, it must fold all of them, at the numbers it foresaw.
      when cardinality(codes) > 0 and (not all_ok or through <> r.facts) then 'stale'
      when d ->> 'status' = 'ended' and through <> r.facts then 'moved'
      else 'ok'
    end;
    if decision_code = 'ok' then
      for n in 0 .. jsonb_array_length(d -> 'events') - 1 loop
        e := link_event(r, d -> 'events' -> n, null);
        events := events || e;
        r.seq := e.seq;
        r.head_hash := e.hash;
        if e.type in ('approval.requested', 'approval.expired', 'call.denied') then
          perform keep_approval(r, e);
        end if;
      end loop;
      r.decided := through;
      r.status := d ->> 'status';
      r.state_name := d ->> 'stateName';
      r.outcome := d ->> 'outcome';
      r.state := (d ->> 'state')::jsonb;
      r.cancel_requested := r.cancel_requested or r.state_name = 'cancelling';
      perform apply_decision(r, d, moment);
    end if;
  end if;

  if item ? 'settle' then
    settled := settle_effect(r, item -> 'settle', moment);
  end if;
  for n in 0 .. case when settled is false then 0 else coalesce(jsonb_array_length(item -> 'notes'), 0) end - 1 loop
    e := link_event(r, item -> 'notes' -> n, null);
    events := events || e;
    r.seq := e.seq;
    r.head_hash := e.hash;
    r.hidden := r.hidden or e.type = 'run.hidden';
  end loop;

  for n in 0 .. coalesce(jsonb_array_length(item -> 'claims'), 0) - 1 loop
    part := item -> 'claims' -> n;
    -- Claims that come with a decision stand and fall with it.
    if crowd or shut_out or decision_code <> 'ok' then
      part := jsonb_build_object('effectId', part -> 'effectId', 'code', 'gone', 'attempt', 0);
    else
      part := claim_effect(r, part, moment);
    end if;
    if part ? 'draft' then
      e := link_event(r, part -> 'draft', null);
      events := events || e;
      r.seq := e.seq;
      r.head_hash := e.hash;
    end if;
    claims := claims || jsonb_build_array(part - 'draft');
  end loop;

  -- At once, not with the events at the end of the batch: the items after this one look at slots and cursors.
  update run set seq = r.seq, facts = r.facts, decided = r.decided, head_hash = r.head_hash, state = r.state,
    status = r.status, state_name = r.state_name, outcome = r.outcome, admitted = r.admitted, place = r.place,
    hidden = r.hidden,
    cancel_requested = r.cancel_requested, ready = r.facts > r.decided and r.status <> 'ended', updated_at = moment
  where id = rid and (head_hash <> r.head_hash or admitted <> r.admitted);

  part := jsonb_build_object('code', 'ok', 'runId', rid, 'admitted', r.admitted, 'seq', r.seq, 'facts', r.facts,
    'decided', r.decided, 'factCodes', to_jsonb(codes), 'decisionCode', decision_code, 'claims', claims);
  if settled is not null then
    part := part || jsonb_build_object('settled', settled);
  end if;
  return (part, events)::appended;
end $$;

-- The one write path: 1 to 64 items, each about another run, sorted by run id; an answer per item, in order.
-- Any error undoes all items: the caller repeats them one by one. Classes 22 and 23 are the item's own fault.
create function append(items jsonb) returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  last uuid;
  rid uuid;
  item jsonb;
  aliases bigint[];
  queues bigint[];
  parents uuid[];
  own uuid[];
  done appended;
  answers jsonb[] := '{}';
  new_events event[] := '{}';
begin
  if jsonb_typeof(items) <> 'array' or jsonb_array_length(items) not between 1 and 64 then
    raise exception 'append takes 1 to 64 items' using errcode = '22023';
  end if;
  for n in 0 .. jsonb_array_length(items) - 1 loop
    item := items -> n;
    rid := (item ->> 'runId')::uuid;
    -- Unsorted batches deadlock: each would hold what the other waits for.
    if rid is null or rid <= last then
      raise exception 'items must be sorted by run id, one per run' using errcode = '22023';
    end if;
    last := rid;
    perform check_tenant(item ->> 'tenantId');
    if item ? 'create' then
      if item #>> '{create,alias,key}' is not null then
        aliases := aliases
          || hashtextextended(netstring(item ->> 'tenantId') || netstring(item #>> '{create,alias,key}'), 2);
      end if;
      if item #>> '{create,multitask}' in ('reject', 'interrupt', 'rollback') then
        queues := queues || thread_lock(item ->> 'tenantId', item #>> '{create,threadId}');
      end if;
      if item #>> '{create,parent,runId}' is not null then
        parents := parents || (item #>> '{create,parent,runId}')::uuid;
      end if;
      if item -> 'create' ? 'lanes' then
        queues := queues || array(
          select lane_lock(item ->> 'tenantId', l ->> 'key') from jsonb_array_elements(item #> '{create,lanes}') l);
      end if;
    elsif (item ->> 'admit')::boolean then
      queues := queues || array(select lane_lock(tenant_id, key) from lane where run_id = rid);
    end if;
  end loop;
  if aliases is not null then
    perform pg_advisory_xact_lock(h) from (select distinct unnest(aliases) h order by 1) ordered;
  end if;
  if queues is not null then
    perform pg_advisory_xact_lock(h) from (select distinct unnest(queues) h order by 1) ordered;
  end if;
  -- A parent may have the greater id: the clocks of those who mint them differ. So all are locked before any is used.
  if parents is not null then
    for n in 0 .. jsonb_array_length(items) - 1 loop
      own := own || (items -> n ->> 'runId')::uuid;
    end loop;
    perform from run where id = any (parents || own) order by id for update;
  end if;
  for n in 0 .. jsonb_array_length(items) - 1 loop
    done := append_item(items -> n);
    answers := answers || done.answer;
    new_events := new_events || done.events;
  end loop;
  if cardinality(new_events) > 0 then
    insert into event select * from unnest(new_events);
  end if;
  return to_jsonb(answers);
end $$;

-- ---- the other writes ----

-- With an origin, which has a place and is the tenant's, the thread begins with what was said there.
create function ensure_thread(thread_id text, tenant_id text, metadata jsonb, created_ms bigint, content_key bytea,
  origin_run uuid default null, origin_seq int default null)
returns setof thread
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  if $6 is not null and not exists (
    select from run r where r.id = $6 and r.tenant_id = $2 and r.place is not null and $7 between 1 and r.seq)
  then
    return;
  end if;
  insert into thread (thread_id, tenant_id, metadata, created_at, content_key, origin_run, origin_seq)
  values ($1, $2, $3, from_ms($4), $5, $6, $7) on conflict do nothing;
  return query select * from thread t where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null;
end $$;

-- Lays keys and values over the metadata of a thread: ok, no_thread, too_large.
create function change_thread(thread_id text, tenant_id text, metadata jsonb) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  merged jsonb;
begin
  if jsonb_typeof($3) is distinct from 'object' then
    raise exception 'thread_malformed' using errcode = '22023';
  end if;
  select t.metadata || $3 into merged from thread t
  where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null for update;
  if not found then
    return 'no_thread';
  end if;
  if octet_length(merged::text) > 65536 then
    return 'too_large';
  end if;
  update thread t set metadata = merged where t.thread_id = $1 and t.tenant_id = $2;
  return 'ok';
end $$;

-- Hides a thread whose runs have ended, or were asked to: ok, no_thread, busy. No run is created on it from then on; one whose
-- create was under way in this moment is hidden with it.
create function hide_thread(thread_id text, tenant_id text) returns text
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
  update thread t set hidden_at = wall() where t.thread_id = $1 and t.tenant_id = $2;
  return 'ok';
end $$;

create function put_definition(hash text, body jsonb) returns void
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$ insert into definition values ($1, $2) on conflict do nothing $$;

create function put_blob(tenant_id text, thread_id text, key text, mime text, bytes bytea) returns void
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$ insert into blob values ($1, $2, $3, $4, $5) on conflict do nothing $$;

-- Effects that are due, and started ones whose lease expired. Each is looked at again after `again_ms`.
create function take_due(kinds text[], again_ms bigint, max_rows int) returns setof effect
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  with due as (
    select e.id from effect e
    where e.status in ('pending', 'started') and e.next_look <= now() and e.kind = any (kinds)
    order by e.next_look limit max_rows
    for update skip locked
  )
  update effect e set dispatches = e.dispatches + 1, next_look = now() + interval '1 millisecond' * again_ms
  from due where e.id = due.id
  returning e.*
$$;

-- Extends leases. An effect that is locked right now is left as it is: it counts as kept while its lease stands.
create function renew(leases jsonb, lease_ms bigint)
returns table (effect_id text, kept boolean, cancel boolean)
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  with asked as (
    select l.value ->> 'effectId' as id, (l.value ->> 'attempt')::int as attempt, l.ordinality as n
    from jsonb_array_elements(leases) with ordinality l
  ), held as (
    select e.id from effect e join asked a on a.id = e.id and a.attempt = e.attempt
    where e.status = 'started' and e.lease_until is not null
    for update of e skip locked
  ), extended as (
    update effect e set
      lease_until = now() + interval '1 millisecond' * lease_ms,
      next_look = case when r.status = 'ended' and e.kind <> 'webhook.deliver' then 'infinity' else now() + interval '1 millisecond' * lease_ms end
    from held, run r where e.id = held.id and r.id = e.run_id
    returning e.id
  )
  select a.id,
    x.id is not null or coalesce(e.status = 'started' and e.attempt = a.attempt and e.lease_until > now(), false),
    coalesce(r.cancel_requested or r.status = 'ended', false)
  from asked a
    left join extended x on x.id = a.id
    left join effect e on e.id = a.id
    left join run r on r.id = e.run_id
  order by a.n
$$;

-- May the model be called? Writes only to hand out a probe: nobody pays a commit for a circuit that is closed.
create function admit_call(model text, open_ms bigint, out state text, out failures int, out wait_ms bigint)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
declare
  b breaker;
begin
  if (fits(admit_call.model) and open_ms >= 1) is not true then
    raise exception 'breaker_malformed' using errcode = '22023';
  end if;
  select * into b from breaker where model = admit_call.model;
  if b.opened_at is not null then
    -- Of all who ask at once, one: the others wait for its lock, look at the row again, and find the probe.
    update breaker set probe_at = wall()
    where model = admit_call.model and opened_at is not null
      and greatest(opened_at, probe_at) + interval '1 millisecond' * open_ms <= wall();
    if found then
      admit_call.state := 'probe';
      admit_call.failures := b.failures;
      admit_call.wait_ms := 0;
      return;
    end if;
    select * into b from breaker where model = admit_call.model;
  end if;
  admit_call.state := case when b.opened_at is null then 'closed' else 'open' end;
  admit_call.failures := coalesce(b.failures, 0);
  admit_call.wait_ms := case when b.opened_at is null then 0
    else greatest(1, to_ms(greatest(b.opened_at, b.probe_at)) + open_ms - to_ms(wall())) end;
end $$;

-- What became of a call. Any answer closes the circuit; of the failures of an open one only a probe's opens it anew.
create function report_call(model text, outcome text, threshold int) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
begin
  if (fits(report_call.model) and outcome in ('ok', 'failed') and threshold >= 1) is not true then
    raise exception 'breaker_malformed' using errcode = '22023';
  end if;
  if outcome = 'ok' then
    delete from breaker where model = report_call.model;
    return;
  end if;
  insert into breaker as b (model, failures, opened_at)
  values (report_call.model, 1, case when threshold = 1 then wall() end)
  on conflict (model) do update set
    failures = b.failures + 1,
    opened_at = case
      when b.opened_at is null then case when b.failures + 1 >= threshold then wall() end
      when b.probe_at is null then b.opened_at
      else wall()
    end,
    probe_at = null;
end $$;

-- Budgets of trees. Whoever touches one locks its row first, and no run and no effect: they are read as they stand.

-- A whole number that counts something: below 2^53, as the engine counts.
create function is_count(n bigint) returns boolean
language sql immutable parallel safe
return n between 0 and 9007199254740991;

-- The budget of a tree, unless it has one.
create function open_budget(root uuid, tenant text, turns int, calls int, tokens bigint, cost bigint) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  if (root is not null and fits(tenant) and is_count(turns) and is_count(calls) and is_count(tokens)
    and is_count(coalesce(cost, 0))) is not true
  then
    raise exception 'budget_malformed' using errcode = '22023';
  end if;
  insert into budget (root_id, tenant_id, turns, calls, tokens, cost)
  values (root, tenant, open_budget.turns, open_budget.calls, open_budget.tokens, open_budget.cost)
  on conflict do nothing;
end $$;

-- Takes from the budget of a tree while what is spent and what others hold is below the limit: that one check under the lock
-- is what keeps twenty at once from exceeding it by more than one reservation. Refused: which budget, what is used of it.
create function reserve_budget(root uuid, run uuid, effect text, turns int, calls int, tokens bigint, cost bigint,
  out code text, out budget text, out used bigint, out "limit" bigint)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  b signalbox.budget;
  own reservation;
  before boolean;
begin
  if (root is not null and run is not null and is_id(effect) and turns in (0, 1) and calls in (0, 1)
    and is_count(tokens) and is_count(cost)) is not true
  then
    raise exception 'reservation_malformed' using errcode = '22023';
  end if;
  code := 'ok';
  select * into b from signalbox.budget where root_id = root for update;
  if not found then
    -- The run at the top opens the budget with the first run it starts. Any other run comes after its end.
    if run <> root then
      code := 'refused';
      budget := 'tokens';
      used := 0;
      "limit" := 0;
    end if;
    return;
  end if;
  select * into own from reservation where root_id = root and effect_id = effect;
  -- A repetition is counted already, and takes the place of what it held.
  before := found;
  if own.open then
    b.tokens_held := b.tokens_held - own.tokens;
    b.cost_held := b.cost_held - own.cost;
  end if;
  if not before and turns > 0 and b.turns_spent >= b.turns then
    budget := 'turns';
    used := b.turns_spent;
    "limit" := b.turns;
  elsif not before and calls > 0 and b.calls_spent >= b.calls then
    budget := 'calls';
    used := b.calls_spent;
    "limit" := b.calls;
  elsif tokens > 0 and b.tokens_spent + b.tokens_held >= b.tokens then
    budget := 'tokens';
    used := b.tokens_spent + b.tokens_held;
    "limit" := b.tokens;
  elsif cost > 0 and b.cost_spent + b.cost_held >= b.cost then
    budget := 'money';
    used := b.cost_spent + b.cost_held;
    "limit" := b.cost;
  end if;
  if budget is not null then
    code := 'refused';
    return;
  end if;
  insert into reservation as r (root_id, effect_id, tenant_id, tokens, cost)
  values (root, effect, b.tenant_id, reserve_budget.tokens, reserve_budget.cost)
  on conflict (root_id, effect_id) do update set tokens = excluded.tokens, cost = excluded.cost, open = true;
  update signalbox.budget set
    turns_spent = b.turns_spent + case when before then 0 else reserve_budget.turns end,
    calls_spent = b.calls_spent + case when before then 0 else reserve_budget.calls end,
    tokens_held = b.tokens_held + reserve_budget.tokens,
    cost_held = b.cost_held + reserve_budget.cost
  where root_id = root;
end $$;

-- Gives the reservation of an effect back, once, and counts what was used.
create function spend_budget(root uuid, effect text, tokens bigint, cost bigint) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  held reservation;
begin
  if (root is not null and is_id(effect) and is_count(tokens) and is_count(cost)) is not true then
    raise exception 'spending_malformed' using errcode = '22023';
  end if;
  perform from budget where root_id = root for update;
  update reservation set open = false where root_id = root and effect_id = effect and open returning * into held;
  if found then
    update budget set
      tokens_spent = tokens_spent + spend_budget.tokens,
      cost_spent = cost_spent + spend_budget.cost,
      tokens_held = tokens_held - held.tokens,
      cost_held = cost_held - held.cost
    where root_id = root;
  end if;
end $$;

-- Gives back what effects that are over still hold, and forgets the budgets of trees whose run at the top has ended. A
-- budget that somebody holds right now is left for the next time.
create function settle_budgets() returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tree record;
begin
  for tree in
    select b.root_id, exists (select from run r where r.id = b.root_id and r.status = 'ended') as over
    from budget b
    where exists (select from run r where r.id = b.root_id and r.status = 'ended')
      or exists (select from reservation h where h.root_id = b.root_id and h.open
        and not exists (select from effect e where e.id = h.effect_id and e.status in ('pending', 'started')))
    for update of b skip locked
  loop
    if tree.over then
      delete from reservation where root_id = tree.root_id;
      delete from budget where root_id = tree.root_id;
      continue;
    end if;
    with given as (
      update reservation h set open = false
      where h.root_id = tree.root_id and h.open
        and not exists (select from effect e where e.id = h.effect_id and e.status in ('pending', 'started'))
      returning h.tokens, h.cost
    )
    update budget set tokens_held = tokens_held - g.tokens, cost_held = cost_held - g.cost
    from (select coalesce(sum(tokens), 0) as tokens, coalesce(sum(cost), 0) as cost from given) g
    where root_id = tree.root_id;
  end loop;
end $$;

-- ---- who may read what ----

do $policies$
declare
  name text;
begin
  foreach name in array array['thread', 'definition', 'blob', 'run', 'lane', 'alias', 'event', 'effect', 'timer', 'approval',
    'approval_grant', 'budget', 'reservation', 'breaker'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    -- The definer functions run as the owner, which FORCE binds as well.
    execute format('create policy owner_all on %I to signalbox_owner using (true) with check (true)', name);
    execute format('create policy engine_read on %I for select to signalbox_engine using (true)', name);
    execute format('grant select on %I to signalbox_engine', name);
    if name not in ('definition', 'breaker') then
      execute format('create policy app_read on %I for select to signalbox_app'
        || ' using (tenant_id = current_setting(''signalbox.tenant'', true))', name);
    end if;
  end loop;
end
$policies$;

grant usage on schema signalbox to signalbox_app, signalbox_engine, signalbox_maintenance;
grant select on blob, run, lane, alias, event, effect, timer, approval, approval_grant, budget, reservation to signalbox_app;
-- Not the key of the content.
grant select (thread_id, tenant_id, metadata, created_at, origin_run, origin_seq, hidden_at) on thread to signalbox_app;
grant select on migration to signalbox_app, signalbox_engine, signalbox_maintenance;

revoke execute on all functions in schema signalbox from public;
grant execute on function to_ms, from_ms, lineage, branches to signalbox_app, signalbox_engine;
grant execute on function append to signalbox_app, signalbox_engine;
grant execute on function lanes_full to signalbox_engine;
grant execute on function ensure_thread, change_thread, hide_thread, put_definition, put_blob, take_due, renew, admit_call, report_call, open_budget,
  reserve_budget, spend_budget, settle_budgets to signalbox_engine;
grant execute on function ensure_partitions to signalbox_maintenance;
