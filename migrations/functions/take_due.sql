-- Effects that are due, and started ones whose lease expired. Each is looked at again after `again_ms`. If there are more than
-- are asked for, tenants take turns: each one's oldest, then each one's second. Whoever has more than its share left over has its
-- turn with the next call.
-- A tool call that waits is looked at once by its time and then by number only (take_waiting), which leaves it without a next look.
-- If its run is being cancelled it is looked at again and again, until it is closed. What pauses held that are over is released.
create or replace function take_due(kinds text[], again_ms bigint, max_rows int) returns setof effect
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  found_ids text[];
  stranded text[];
begin
  if exists (select from pause where until <= now()) then
    perform release_held(max_rows);
  end if;
  select array_agg(id) into found_ids from (
    select e.id from effect e
    where e.status in ('pending', 'started') and e.next_look <= now() and e.kind = any (kinds)
    order by e.next_look limit max_rows + 1
  ) due;
  if cardinality(found_ids) > max_rows then
    with recursive place as (
      (select e.queue, e.tenant_id from effect e where e.status = 'pending' order by e.queue, e.tenant_id limit 1)
      union all
      select n.queue, n.tenant_id from place p cross join lateral (
        select e.queue, e.tenant_id from effect e
        where e.status = 'pending' and (e.queue, e.tenant_id) > (p.queue, p.tenant_id)
        order by e.queue, e.tenant_id limit 1) n
    ), busy as materialized (
      select * from place p where exists (
        select from effect e
        where e.status = 'pending' and e.queue = p.queue and e.tenant_id = p.tenant_id
          and e.next_look <= now() and e.kind = any (kinds))
    ), waiting as (
      select d.id, d.tenant_id, d.next_look from busy p cross join lateral (
        select e.id, e.tenant_id, e.next_look from effect e
        where e.status = 'pending' and e.queue = p.queue and e.tenant_id = p.tenant_id
          and e.next_look <= now() and e.kind = any (kinds)
        order by e.due limit (select (max_rows + count(*) - 1) / count(*) from busy)) d
    ), lost as (
      select e.id, e.tenant_id, e.next_look from effect e
      where e.status = 'started' and e.next_look <= now() and e.kind = any (kinds)
      order by e.next_look limit max_rows
    ), turns as (
      select id, next_look, row_number() over (partition by tenant_id order by next_look) as turn
      from (select * from waiting union all select * from lost) found
    )
    select array_agg(id) into found_ids from (select id from turns order by turn, next_look limit max_rows) chosen;
  end if;
  select array_agg(e.id) into stranded
  from run r join effect e on e.run_id = r.id
  where r.cancel_requested and r.status <> 'ended'
    and (e.status = 'pending' or e.status = 'started' and e.held is not null) and e.next_look = 'infinity'
    and e.kind = any (kinds);
  return query
    with due as (
      select e.id, e.status = 'pending' and e.kind = 'tool.call'
        and not (select r.cancel_requested from run r where r.id = e.run_id) as waits
      from effect e
      where e.status in ('pending', 'started') and (
        e.id = any (found_ids) and e.next_look <= now() or e.id = any (stranded) and e.next_look = 'infinity')
      for update of e skip locked
    )
    update effect e set dispatches = e.dispatches + 1,
      next_look = case when due.waits then 'infinity' else now() + interval '1 millisecond' * again_ms end
    from due where e.id = due.id
    returning e.*;
end $$;

revoke execute on function take_due from public;
grant execute on function take_due to signalbox_engine;
