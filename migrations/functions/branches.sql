-- All that was said on a thread, whatever goes on from what: its runs by place, behind what was said before it began. What was
-- rolled back is there only if somebody goes on from it.
create or replace function branches(tenant text, thread text)
returns table (stretch int, place int, run_id uuid, through int)
language sql stable rows 20
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select 0, r.place, r.id, null::int from thread t
    join run r on r.tenant_id = t.tenant_id and r.thread_id = t.thread_id and r.place is not null
  where t.tenant_id = branches.tenant and t.thread_id = branches.thread and (r.outcome is distinct from 'rolled_back' or exists (
    select from run f
    where f.tenant_id = r.tenant_id and f.thread_id = r.thread_id and f.place is not null and f.base_run = r.id
      and f.outcome is distinct from 'rolled_back'))
  union all
  select 1 + said.stretch, said.place, said.run_id, case when said.run_id = o.id then t.origin_seq else said.through end
  from thread t
    join run o on o.id = t.origin_run and o.tenant_id = t.tenant_id,
    lineage(t.tenant_id, o.thread_id, o.id) said
  where t.tenant_id = branches.tenant and t.thread_id = branches.thread
$$;

revoke execute on function branches from public;
grant execute on function branches to signalbox_app, signalbox_engine;
