-- Runs.
--
-- run, event and effect have no CHECK constraints: Postgres parses each of them anew in every statement, which was a fifth
-- of the cost of an append. All their writes pass the functions, which check instead.

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
  multitask text not null,                -- enqueue and reject wait for the runs before it; interrupt and rollback end them
  repaired int                            -- the number of its last event when the cached state was repaired last; null: never
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

-- What audits look for and no event says of itself. An index of `event` would cost every append; one of `run` is written once
-- per run, or once when it ends: its columns do not change in between, so that the updates of a run stay HOT.
create index run_by_agent on run (tenant_id, agent, id);
create index run_by_outcome on run (tenant_id, outcome, id) where outcome is not null;

-- Runs that are to end: what they still have waiting must be closed, and nothing else looks after it.
create index run_cancelling on run (id) where cancel_requested and status <> 'ended';

-- Runs over all threads of a tenant: the open ones of a status, newest first. A status stands in predicates of other indexes
-- already, so an update that changes it was never HOT. The status leads: an index that begins with the tenant would be taken
-- for that of the runs of one thread, as long as the statistics know of none.
create index run_by_status on run (status, tenant_id, id) where status <> 'ended';
