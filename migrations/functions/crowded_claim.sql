-- What of a claim that would be granted there is no room for: `full`, or `gone` with its effect where the run has ended; null
-- if there is room, or if it is refused for another reason.
create or replace function crowded_claim(r run, c jsonb, moment timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  e effect;
begin
  if r.seq + (case when r.status = 'ended' then 2 + 4 else 1 + kept(open_effects(r)) end) <= event_limit() then
    return null;
  end if;
  select * into e from effect where id = c ->> 'effectId' and run_id = r.id
    and (not r.cancel_requested and r.status <> 'ended' or outlives_run(kind)) and (
    status = 'pending' and due <= moment
    or status = 'started' and lease_until <= moment and mode <> 'once'
      and has_lapsed(lease_until, lease_ms, moment) and not is_own_claim(effect, c));
  if not found then
    return null;
  end if;
  -- Of a run that has ended nobody can make room: nothing is tried for ever.
  if r.status = 'ended' then
    update effect set status = 'cancelled', lease_until = null where id = e.id;
  end if;
  return jsonb_build_object('effectId', c -> 'effectId', 'attempt', e.attempt,
    'code', case when r.status = 'ended' then 'gone' else 'full' end);
end $$;

revoke execute on function crowded_claim from public;
