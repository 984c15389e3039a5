-- Crons: runs that are created at times. A cron is the tenant's own data; the runs it makes stand in the register.
--
-- K1 A time is fired by creating a run under the alias `cron:<id>:<ms>`, and only then does the cron move on, from exactly
--    that time. Who dies between the two leaves the time due, and whoever comes next finds the run by its alias: each time
--    has one run, however many orchestrators fire it and whenever one of them stops.
-- K2 The clock that says what is due is that of the database.

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
