-- Effects that are not settled. In plpgsql, so that it is never inlined: as a query of its own it would cost every append.
create or replace function open_effects(r run) returns int
language plpgsql stable as $$
begin
  return (select count(*) from effect where run_id = r.id and status in ('pending', 'started', 'unknown'));
end $$;

revoke execute on function open_effects from public;
