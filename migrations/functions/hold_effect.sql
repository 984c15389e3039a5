-- Is the effect refused for a pause? Then nobody looks at it any more until that is over. Who sets, lifts or removes the pause
-- right now is not waited for: the effect is then claimed once more, and refused again if need be.
create or replace function hold_effect(e effect, agent text) returns boolean
language plpgsql volatile as $$
begin
  if not is_paused(e, agent) then
    return false;
  end if;
  if e.held is null or e.next_look < 'infinity' then
    perform from pause p
    where p.tenant_id = e.tenant_id and coalesce(p.until > wall(), true)
      and is_aimed_at(p.target, p.name, agent, e.kind, e.tool, e.queue)
    limit 1 for share skip locked;
    if found then
      update effect set held = coalesce(held, due), next_look = 'infinity',
        -- A time, for builds that show it: they know no pause.
        due = case when status = 'pending' then timestamptz '9999-12-31 00:00:00+00' else due end
      where id = e.id;
    end if;
  end if;
  return true;
end $$;

revoke execute on function hold_effect from public;
