-- The uploads of one request are whole: all of them are there from now on, or none. Answers `ok`; `no_thread`; or `full`: as many as may
-- wait to be named on the thread.
create or replace function finish_uploads(tenant text, thread text, uploads jsonb) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  whole int;
begin
  perform check_tenant(tenant);
  if (fits(tenant) and fits(thread) and jsonb_typeof(uploads) = 'array' and jsonb_array_length(uploads) between 1 and 10) is not true then
    raise exception 'uploads_malformed' using errcode = '22023';
  end if;
  perform from thread t
  where t.tenant_id = tenant and t.thread_id = finish_uploads.thread and t.hidden_at is null for update;
  if not found then
    return 'no_thread';
  end if;
  if (select count(*) from upload u
      where u.tenant_id = tenant and u.thread_id = finish_uploads.thread and u.named_at is null)
    + jsonb_array_length(uploads) > 200
  then
    return 'full';
  end if;
  select count(*) into whole from jsonb_array_elements(uploads) u
  where (u->>'bytes')::bigint = (
    select sum(octet_length(p.bytes)) from upload_part p where p.tenant_id = tenant and p.upload_id = u->>'id');
  if whole <> jsonb_array_length(uploads) then
    raise exception 'upload_incomplete' using errcode = '22023';
  end if;
  insert into upload
    select tenant, u->>'id', finish_uploads.thread, u->>'name', u->>'mime', (u->>'bytes')::int,
      decode(u->>'sha256', 'hex'), u->>'key', wall(), null
    from jsonb_array_elements(uploads) u;
  return 'ok';
end $$;

revoke execute on function finish_uploads from public;
grant execute on function finish_uploads to signalbox_app, signalbox_engine;
