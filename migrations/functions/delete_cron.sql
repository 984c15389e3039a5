-- Deletes a cron. False: there is none.
create or replace function delete_cron(tenant text, cron_id uuid) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  delete from cron where id = cron_id and tenant_id = tenant;
  return found;
end $$;

revoke execute on function delete_cron from public;
grant execute on function delete_cron to signalbox_app, signalbox_engine;
