-- The runs of an end user. The first event of the run has the last word: erased, it names nobody.
create table end_user_run (
  tenant_id text not null,
  end_user text not null,
  run_id uuid not null,
  primary key (tenant_id, end_user, run_id)
);
create index end_user_run_by_run on end_user_run (run_id);
