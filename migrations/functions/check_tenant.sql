-- A caller that is not the engine writes for its own tenant only (I19).
create or replace function check_tenant(tenant text) returns void
language plpgsql stable as $$
begin
  if not pg_has_role(session_user, 'signalbox_engine', 'member')
    and tenant is distinct from current_setting('signalbox.tenant', true)
  then
    raise exception 'the tenant is not the current one' using errcode = '42501';
  end if;
end $$;

revoke execute on function check_tenant from public;
