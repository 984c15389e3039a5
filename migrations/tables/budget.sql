-- Budgets of trees. Whoever touches one locks its row first, and no run and no effect: they are read as they stand.

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
