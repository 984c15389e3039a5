-- Where runs asked the people they work for, and which questions wait. The words stand in the event alone.
create table question (
  run_id uuid not null,
  seq int not null,
  tenant_id text not null,
  call_id text not null,
  at timestamptz not null,
  waits boolean not null default true,    -- nobody answered yet, its time is not over, and the run lives
  primary key (run_id, seq)
);
create index question_waits on question (tenant_id, at, run_id, seq) where waits;
