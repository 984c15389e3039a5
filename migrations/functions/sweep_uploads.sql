-- Removes what was uploaded more than a day ago, of all tenants, whole or not; a hundred at a time. What a run has named since is a blob
-- of its thread. Answers how many were removed.
create or replace function sweep_uploads() returns int
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  one record;
  swept int := 0;
begin
  for one in
    select p.tenant_id, p.upload_id from upload_part p
    where p.n = 0 and p.created_at < wall() - interval '24 hours'
    order by p.created_at limit 100 for update skip locked
  loop
    delete from upload u where u.tenant_id = one.tenant_id and u.id = one.upload_id;
    delete from upload_part p where p.tenant_id = one.tenant_id and p.upload_id = one.upload_id;
    swept := swept + 1;
  end loop;
  return swept;
end $$;

revoke execute on function sweep_uploads from public;
grant execute on function sweep_uploads to signalbox_engine;
