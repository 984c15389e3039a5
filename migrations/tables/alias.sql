-- Idempotency keys of creates. They are written in the order of their runs: old ones are found, and no create pays for it.

create table alias (
  tenant_id text not null,
  key text not null check (char_length(key) between 1 and 200),
  run_id uuid not null,
  body_hash text not null check (char_length(body_hash) between 1 and 200),
  primary key (tenant_id, key)
);
create index alias_by_run on alias using brin (run_id);
