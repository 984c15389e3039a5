-- The runs whose events, up to `through`, are the conversation that a run sees, its own included; of a thread without a run
-- named, what its next run will see. In order: stretch by stretch from the greatest, in each by place. A stretch is a part of a
-- thread; it begins where a run goes on from elsewhere, or with the thread, which may have an origin elsewhere. What was
-- rolled back is left out, unless it is what somebody goes on from. A thread has heard its own runs, and its origin with all
-- that was said before that: of any other run it is told nothing.
create or replace function lineage(tenant text, thread text, run uuid default null)
returns table (stretch int, place int, run_id uuid, through int)
language plpgsql stable rows 20
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
declare
  t record;
  r record;
  base record;
  next_run uuid := lineage.run;
  next_seq int;
begin
  stretch := 0;
  -- A run that has no place yet hears what it goes on from, or what the next run of its thread would.
  if next_run is not null then
    select place, base_run, base_seq into r from signalbox.run
    where id = next_run and tenant_id = lineage.tenant and thread_id = lineage.thread;
    if found and r.place is null then
      next_run := r.base_run;
      next_seq := r.base_seq;
    end if;
  end if;
  if next_run is null then
    select origin_run, origin_seq into t from signalbox.thread
    where tenant_id = lineage.tenant and thread_id = lineage.thread;
    select id into next_run from signalbox.run
    where tenant_id = lineage.tenant and thread_id = lineage.thread and place is not null
      and outcome is distinct from 'rolled_back'
    order by place desc limit 1;
    if not found then
      next_run := t.origin_run;
      next_seq := t.origin_seq;
    end if;
  elsif next_seq is null and not exists (select from signalbox.run
    where id = next_run and tenant_id = lineage.tenant and thread_id = lineage.thread)
  then
    select case when heard.run_id = o.id then h.origin_seq else heard.through end into next_seq
    from signalbox.thread h
      join signalbox.run o on o.id = h.origin_run and o.tenant_id = h.tenant_id,
      signalbox.lineage(h.tenant_id, o.thread_id, o.id) heard
    where h.tenant_id = lineage.tenant and h.thread_id = lineage.thread and heard.run_id = next_run;
    if not found then
      return;
    end if;
  end if;
  while next_run is not null and stretch < 1000 loop
    select id, tenant_id, thread_id, place into r from signalbox.run where id = next_run and tenant_id = lineage.tenant;
    exit when not found;
    select id, place, base_run, base_seq into base from signalbox.run
    where tenant_id = r.tenant_id and thread_id = r.thread_id and place <= r.place and base_run is not null
      and (outcome is distinct from 'rolled_back' or id = r.id)
    order by place desc limit 1;
    return query
      select lineage.stretch, o.place, o.id, case when o.id = r.id then next_seq end from signalbox.run o
      where o.tenant_id = r.tenant_id and o.thread_id = r.thread_id
        and o.place between coalesce(base.place, 1) and r.place
        and (o.outcome is distinct from 'rolled_back' or o.id = r.id);
    stretch := stretch + 1;
    if base.id is not null then
      next_run := base.base_run;
      next_seq := base.base_seq;
    else
      select origin_run, origin_seq into next_run, next_seq from signalbox.thread
      where tenant_id = r.tenant_id and thread_id = r.thread_id;
    end if;
  end loop;
end $$;

revoke execute on function lineage from public;
grant execute on function lineage to signalbox_app, signalbox_engine;
