-- Does the fence of a fact hold? Then the effect has become what the fact says.
-- A lease that nobody could renew holds on (O2 of tables/heartbeat.sql).
create or replace function pass_fence(r run, fence jsonb, moment timestamptz) returns boolean
language plpgsql volatile as $$
declare
  becomes text := fence ->> 'becomes';
begin
  update effect set
    status = becomes,
    lease_until = null,
    due = case when becomes = 'pending' then moment else due end,
    -- What goes on without a lease is ended by a fact, and is nobody's to look after.
    next_look = case becomes when 'pending' then moment when 'started' then 'infinity' else next_look end
  where id = fence ->> 'effectId' and run_id = r.id and case fence ->> 'expect'
    when 'started' then status = 'started' and attempt = (fence ->> 'attempt')::int
    when 'lost' then status = 'started' and attempt = (fence ->> 'attempt')::int
      and has_lapsed(lease_until, lease_ms, moment)
    when 'pending' then status = 'pending'
    when 'unknown' then status = 'unknown'
    else false
  end;
  return found;
end $$;

revoke execute on function pass_fence from public;
