-- May the model be called? Writes only to hand out a probe: nobody pays a commit for a circuit that is closed.
create or replace function admit_call(model text, open_ms bigint, out state text, out failures int, out wait_ms bigint)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
declare
  b breaker;
begin
  if (fits(admit_call.model) and open_ms >= 1) is not true then
    raise exception 'breaker_malformed' using errcode = '22023';
  end if;
  select * into b from breaker where model = admit_call.model;
  if b.opened_at is not null then
    -- Of all who ask at once, one: the others wait for its lock, look at the row again, and find the probe.
    update breaker set probe_at = wall()
    where model = admit_call.model and opened_at is not null
      and greatest(opened_at, probe_at) + interval '1 millisecond' * open_ms <= wall();
    if found then
      admit_call.state := 'probe';
      admit_call.failures := b.failures;
      admit_call.wait_ms := 0;
      return;
    end if;
    select * into b from breaker where model = admit_call.model;
  end if;
  admit_call.state := case when b.opened_at is null then 'closed' else 'open' end;
  admit_call.failures := coalesce(b.failures, 0);
  admit_call.wait_ms := case when b.opened_at is null then 0
    else greatest(1, to_ms(greatest(b.opened_at, b.probe_at)) + open_ms - to_ms(wall())) end;
end $$;

revoke execute on function admit_call from public;
grant execute on function admit_call to signalbox_engine;
