-- Timers that were set and have not fired.

create table timer (
  run_id uuid not null,
  id text not null,
  tenant_id text not null,
  fire_at timestamptz not null,
  primary key (run_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index timer_fire_at on timer (fire_at);
