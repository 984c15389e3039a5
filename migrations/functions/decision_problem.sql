-- Why a decision is rejected whatever stands in the register, null if nothing is wrong with it.
create or replace function decision_problem(rid uuid, d jsonb) returns text
language plpgsql stable as $$
declare
  c jsonb;
begin
  if (d #>> '{events,0,type}') is distinct from 'run.transitioned' then
    return 'decision_without_run_transitioned';
  end if;
  if octet_length(d ->> 'state') > 2048
    and (d ->> 'status' is distinct from 'ended' or octet_length(d ->> 'state') > 2304) then
    return 'state_too_large';
  end if;
  if (d ->> 'status' in ('queued', 'running', 'waiting', 'ended') and fits(d ->> 'stateName')
    and (d ->> 'status' = 'ended') = (fits(d ->> 'outcome') is true)) is not true
  then
    return 'decision_malformed';
  end if;
  for n in 0 .. coalesce(jsonb_array_length(d -> 'effects'), 0) - 1 loop
    c := d -> 'effects' -> n;
    if (is_id(c ->> 'id') and starts_with(c ->> 'id', rid || '.')
      and c ->> 'kind' ~ '^[a-z]{1,30}\.[a-z]{1,30}$'
      and c ->> 'mode' in ('read', 'idempotent', 'once') and fits(c ->> 'queue') and fits(coalesce(c ->> 'tool', '-'))
      and (c ->> 'delayMs') ~ '^[0-9]{1,12}$'
      ) is not true
    then
      return 'effect_malformed';
    end if;
  end loop;
  for n in 0 .. coalesce(jsonb_array_length(d -> 'timers'), 0) - 1 loop
    if (char_length(d -> 'timers' -> n ->> 'id') between 1 and 150
      and (d -> 'timers' -> n ->> 'afterMs') ~ '^[0-9]{1,15}$') is not true then
      return 'timer_malformed';
    end if;
  end loop;
  if not are_events(d -> 'events') then
    return 'event_malformed';
  end if;
  return null;
end $$;

revoke execute on function decision_problem from public;
