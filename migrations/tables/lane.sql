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
