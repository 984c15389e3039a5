-- Deletes an assistant with its versions. False: there is none.
create or replace function delete_assistant(tenant text, assistant_id uuid) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  was boolean;
begin
  perform check_tenant(tenant);
  delete from assistant where tenant_id = tenant and id = assistant_id;
  was := found;
  delete from assistant_version where tenant_id = tenant and id = assistant_id;
  return was;
end $$;

revoke execute on function delete_assistant from public;
grant execute on function delete_assistant to signalbox_app;
