-- needs_code: 18
-- Which questions of models wait stands beside the log, as for approvals. Older builds read no definition that lets a model ask, and
-- write none of these events.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

\ir tables/question.sql sha256:bbd5840baed1905f
alter table question enable row level security;
alter table question force row level security;
create policy owner_all on question to signalbox_owner using (true) with check (true);
create policy engine_read on question for select to signalbox_engine using (true);
create policy app_read on question for select to signalbox_app using (tenant_id = current_setting('signalbox.tenant', true));
grant select on question to signalbox_engine, signalbox_app;

\ir functions/keep_question.sql sha256:9983e1ccb5b1f4f0
\ir functions/apply_decision.sql sha256:010a50b9f72e0ba6
\ir functions/sweep_ended.sql sha256:2e0191558a9276ce

create trigger event_question after insert on event
for each row when (new.type in ('input.requested', 'input.answered', 'input.expired'))
execute function keep_question();
