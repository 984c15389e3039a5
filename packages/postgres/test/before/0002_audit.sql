-- What audits look for and no event says of itself: the agent and the outcome of its run, and the end user.
--
-- Nothing here is an index of `event`, which every append would pay for. An index of `run` is written once per run, or once
-- when it ends: its columns do not change in between, so that the updates of a run stay HOT.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

create index run_by_agent on run (tenant_id, agent, id);
create index run_by_outcome on run (tenant_id, outcome, id) where outcome is not null;

-- The runs of an end user. The first event of the run has the last word: erased, it names nobody.
create table end_user_run (
  tenant_id text not null,
  end_user text not null,
  run_id uuid not null,
  primary key (tenant_id, end_user, run_id)
);
create index end_user_run_by_run on end_user_run (run_id);

create function note_end_user() returns trigger
language plpgsql volatile as $$
begin
  insert into signalbox.end_user_run (tenant_id, end_user, run_id)
  values (new.tenant_id, new.payload ->> 'endUser', new.run_id)
  on conflict do nothing;
  return null;
end $$;

-- Asked for each event, called only for the first one of a run that works for an end user.
create trigger event_end_user after insert on event
for each row when (new.type = 'run.created' and new.payload ? 'endUser')
execute function note_end_user();

insert into end_user_run (tenant_id, end_user, run_id)
select tenant_id, payload ->> 'endUser', run_id
from event
where type = 'run.created' and payload ? 'endUser'
on conflict do nothing;

alter table end_user_run enable row level security;
alter table end_user_run force row level security;
create policy owner_all on end_user_run to signalbox_owner using (true) with check (true);
create policy engine_read on end_user_run for select to signalbox_engine using (true);
create policy app_read on end_user_run for select to signalbox_app
  using (tenant_id = current_setting('signalbox.tenant', true));
grant select on end_user_run to signalbox_engine, signalbox_app;
revoke execute on function note_end_user from public;
