-- Assistants: what a tenant makes at run time of the agents that are configured. Versions are written once and never changed;
-- which one runs use is the assistant's. A run pins the definition that came of it, so nothing here is needed to replay one.

create table assistant (
  tenant_id text not null,
  id uuid not null,
  version int not null,                   -- the one that runs use
  versions int not null,                  -- how many were made
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);

create table assistant_version (
  tenant_id text not null,
  id uuid not null,
  version int not null,
  agent text not null,
  name text not null,
  description text,
  metadata jsonb not null,
  config jsonb not null,
  context jsonb not null,
  actor text not null,                    -- who made it
  created_at timestamptz not null,
  primary key (tenant_id, id, version)
);
