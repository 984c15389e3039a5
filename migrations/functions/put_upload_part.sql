-- Writes the next piece of an upload that is arriving. At most 32 of them, of half a MiB each: 16 MiB.
create or replace function put_upload_part(tenant text, upload text, n int, bytes bytea) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  if (fits(tenant) and fits(upload) and put_upload_part.n between 0 and 31
    and octet_length(put_upload_part.bytes) <= 524288) is not true
  then
    raise exception 'upload_part_malformed' using errcode = '22023';
  end if;
  insert into upload_part values (tenant, upload, put_upload_part.n, put_upload_part.bytes, wall());
end $$;

revoke execute on function put_upload_part from public;
grant execute on function put_upload_part to signalbox_app, signalbox_engine;
