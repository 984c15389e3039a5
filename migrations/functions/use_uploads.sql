-- A run is about to name uploads of its thread: their contents become blobs of it, before the event that names them. Answers those that
-- are there, in no order; if one of them is missing, nothing is written. May be repeated, as the create of the run may.
create or replace function use_uploads(tenant text, thread text, ids text[])
returns table (id text, name text, mime text, bytes int, sha256 text, key text)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
begin
  perform check_tenant(use_uploads.tenant);
  if (
    select count(*) from upload u
    where u.tenant_id = use_uploads.tenant and u.thread_id = use_uploads.thread and u.id = any(use_uploads.ids)
  ) = cardinality(use_uploads.ids) then
    insert into blob (tenant_id, thread_id, key, mime, bytes)
      select u.tenant_id, u.thread_id, u.key, u.mime,
        (select string_agg(p.bytes, ''::bytea order by p.n) from upload_part p
          where p.tenant_id = u.tenant_id and p.upload_id = u.id)
      from upload u
      where u.tenant_id = use_uploads.tenant and u.thread_id = use_uploads.thread and u.id = any(use_uploads.ids)
        and not exists (select from blob b where b.tenant_id = u.tenant_id and b.thread_id = u.thread_id and b.key = u.key)
      order by u.key
      on conflict do nothing;
    perform from upload u
    where u.tenant_id = use_uploads.tenant and u.thread_id = use_uploads.thread and u.id = any(use_uploads.ids) and u.named_at is null
    order by u.id for update;
    update upload set named_at = wall()
    where tenant_id = use_uploads.tenant and thread_id = use_uploads.thread and id = any(use_uploads.ids) and named_at is null;
  end if;
  return query
    select u.id, u.name, u.mime, u.bytes, encode(u.sha256, 'hex'), u.key from upload u
    where u.tenant_id = use_uploads.tenant and u.thread_id = use_uploads.thread and u.id = any(use_uploads.ids);
end $$;

revoke execute on function use_uploads from public;
grant execute on function use_uploads to signalbox_app, signalbox_engine;
