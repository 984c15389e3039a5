-- Removes what was uploaded more than a day ago, of all tenants, whole or not; those of the hundred oldest pieces at a time. What a run has named
-- since is a blob of its thread. A piece that was written after its upload was dropped is removed as well: no piece needs a first one. Answers
-- how many uploads were removed; 0 as well where somebody else is at it.
create or replace function sweep_uploads() returns int
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  one record;
  swept int := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('signalbox.sweep_uploads', 0)) then
    return 0;
  end if;
  for one in
    select distinct aged.tenant_id, aged.upload_id from (
      select p.tenant_id, p.upload_id from upload_part p
      where p.created_at < wall() - interval '24 hours' order by p.created_at limit 100) aged
  loop
    delete from upload u where u.tenant_id = one.tenant_id and u.id = one.upload_id;
    delete from upload_part p where p.tenant_id = one.tenant_id and p.upload_id = one.upload_id;
    swept := swept + 1;
  end loop;
  return swept;
end $$;

revoke execute on function sweep_uploads from public;
grant execute on function sweep_uploads to signalbox_engine;
