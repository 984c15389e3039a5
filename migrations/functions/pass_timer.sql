-- A fact about a timer takes the timer away; it is a repetition if that timer is not there, or was moved.
create or replace function pass_timer(r run, event_key text) returns boolean
language plpgsql volatile as $$
declare
  parts text[];
begin
  if not starts_with(event_key, 'timer:') then
    return true;
  end if;
  parts := regexp_match(event_key, '^timer:(.+):([0-9]{1,15})$');
  delete from timer where run_id = r.id and id = parts[1] and fire_at = from_ms(parts[2]::bigint);
  return found;
end $$;

revoke execute on function pass_timer from public;
