-- Definitions of agents, by their hash, and who used them.

create table definition (
  hash text primary key check (char_length(hash) between 1 and 200),
  body jsonb not null
);

-- The definitions that runs of a tenant have used, or were about to: who may read them, and since when.
create table definition_use (
  tenant_id text not null,
  hash text not null,
  first_used_at timestamptz not null,
  primary key (tenant_id, hash)
);
