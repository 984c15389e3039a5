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
  spec jsonb not null,
  lease_ms bigint,                        -- how long the lease was made for; null: only its time counts
  announced timestamptz,                  -- when a waiting call was announced again for the last time
  held timestamptz                        -- when it could have been claimed, had no pause refused it
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create index effect_next_look on effect (next_look) where status in ('pending', 'started');
create index effect_open on effect (run_id) where status in ('pending', 'started', 'unknown');
create index effect_child on effect (run_id) where kind = 'run.start' and status = 'started';
create index effect_unknown on effect (tenant_id) where status = 'unknown';

-- What waits, by queue and tenant: whose turn it is is found without reading what others have waiting. `due` changes only when an
-- effect becomes pending again, so that a look, a lease and its renewal cost nothing here.
create index effect_turn on effect (queue, tenant_id, due) where status = 'pending';

-- A `pending` one that is held has no other due time until it is released.
create index effect_held on effect (tenant_id) where held is not null;
