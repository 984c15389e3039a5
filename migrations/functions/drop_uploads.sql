-- Removes uploads, whole or not: what was refused, or broke off, need not wait for its day.
create or replace function drop_uploads(tenant text, ids text[]) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  delete from upload u where u.tenant_id = tenant and u.id = any(ids);
  delete from upload_part p where p.tenant_id = tenant and p.upload_id = any(ids);
end $$;

revoke execute on function drop_uploads from public;
grant execute on function drop_uploads to signalbox_app, signalbox_engine;
