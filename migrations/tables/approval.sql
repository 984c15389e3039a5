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
