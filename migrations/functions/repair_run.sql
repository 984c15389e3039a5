-- Writes the cached state of a run anew where another one stands, and the notes that tell of it, as one write: of several processes
-- that find the damage, the first alone makes it. A cached state says nothing that the log does not, and no hash depends on it.
create or replace function repair_run(tenant text, run_id uuid, decided int, state text, notes jsonb) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  if octet_length($4) > 2048 then
    raise exception 'state_too_large' using errcode = '22023';
  end if;
  update run r set state = $4::jsonb
  where r.id = $2 and r.tenant_id = $1 and r.decided = $3 and r.state is distinct from $4::jsonb;
  if not found then
    return false;
  end if;
  if jsonb_array_length($5) > 0 then
    perform append(jsonb_build_array(jsonb_build_object('runId', $2, 'tenantId', $1, 'notes', $5)));
  end if;
  update run r set repaired = r.seq where r.id = $2;
  return true;
end
$$;

revoke execute on function repair_run from public;
grant execute on function repair_run to signalbox_engine;
