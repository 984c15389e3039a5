-- Cached states are repaired.
--
-- V1 A cached state says nothing that the log does not: it may be written anew, as long as it stands for the same decision.
--    No event is written with it, and no hash depends on it.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- Answers whether the state now stands for the decision through `decided`.
create function repair_state(tenant text, run_id uuid, decided int, state text) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  if octet_length($4) > 2048 then
    raise exception 'state_too_large' using errcode = '22023';
  end if;
  update run r set state = $4::jsonb where r.id = $2 and r.tenant_id = $1 and r.decided = $3;
  return found;
end
$$;
revoke execute on function repair_state from public;
grant execute on function repair_state to signalbox_engine;
