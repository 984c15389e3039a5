-- Calls of a queue that wait and whose announcement may be lost, each at most once in a while that grows with each time. Those that
-- were not announced for longest come first: each call that a queue lost is announced once before any is announced a second time.
-- `wait_ms` is the while after the first time; before it is two seconds, afterwards the double.
create or replace function take_waiting(of_queue text, wait_ms bigint, max_rows int) returns setof effect
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  with waiting as (
    select e.id from effect e
    where e.status = 'pending' and e.kind = 'tool.call' and e.queue = of_queue
      and greatest(e.due, e.announced) + interval '1 millisecond'
        * case when e.dispatches < 2 then least(2000, wait_ms) when e.dispatches = 2 then wait_ms else 2 * wait_ms end <= now()
    order by greatest(e.due, e.announced) limit max_rows
    for update skip locked
  )
  update effect e set dispatches = e.dispatches + 1, announced = now()
  from waiting where e.id = waiting.id
  returning e.*
$$;

revoke execute on function take_waiting from public;
grant execute on function take_waiting to signalbox_engine;
