-- What a decision does besides its events: effects, timers, and the end.
--
-- H3 When a run ends, nothing of it is open but what outlives it.
create or replace function apply_decision(r run, d jsonb, moment timestamptz) returns void
language plpgsql volatile as $$
declare
  t jsonb;
  fire timestamptz;
begin
  if jsonb_array_length(d -> 'effects') > 0 then
    insert into effect (id, run_id, tenant_id, kind, queue, mode, tool, due, next_look, spec)
    select e ->> 'id', r.id, r.tenant_id, e ->> 'kind', e ->> 'queue', e ->> 'mode', e ->> 'tool',
      moment + interval '1 millisecond' * (e ->> 'delayMs')::bigint,
      -- Whoever decided announces what may start at once; the reconciler leaves him two seconds for it.
      moment + case when (e ->> 'delayMs')::bigint = 0 then interval '2 seconds'
        else interval '1 millisecond' * (e ->> 'delayMs')::bigint end, e
    from jsonb_array_elements(d -> 'effects') e;
  end if;
  if jsonb_array_length(d -> 'clearTimers') > 0 then
    delete from timer where run_id = r.id and id in (select jsonb_array_elements_text(d -> 'clearTimers'));
  end if;
  for n in 0 .. jsonb_array_length(d -> 'timers') - 1 loop
    t := d -> 'timers' -> n;
    fire := moment + interval '1 millisecond' * (t ->> 'afterMs')::bigint;
    -- A timer that is set again within the millisecond in which it fired must not meet the key of that firing.
    while exists (select from event where run_id = r.id and key = 'timer:' || (t ->> 'id') || ':' || to_ms(fire)) loop
      fire := fire + interval '1 millisecond';
    end loop;
    insert into timer (run_id, id, tenant_id, fire_at) values (r.id, t ->> 'id', r.tenant_id, fire)
    on conflict (run_id, id) do update set fire_at = excluded.fire_at;
  end loop;
  if d ->> 'status' = 'ended' then
    -- What still runs may finish, as a note: nobody waits for it any more. Only some kinds outlive it.
    update effect set next_look = 'infinity', status = 'cancelled', lease_until = null
    where run_id = r.id and status in ('pending', 'started') and not outlives_run(kind);
    delete from timer where run_id = r.id;
    update approval set waits = false where run_id = r.id and waits;
    update question set waits = false where run_id = r.id and waits;
    if r.laned then
      update lane set over = true where run_id = r.id;
    end if;
  end if;
end $$;

revoke execute on function apply_decision from public;
