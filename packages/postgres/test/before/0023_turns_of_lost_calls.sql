-- needs_code: 18
-- Each call that a queue lost is announced once before any is announced a second time. They were taken by age: where a round over
-- all of them took longer than the pause of one call, the oldest were announced again and again and the rest never.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- As before, but for the order.
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
