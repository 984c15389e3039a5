-- Whose key this is, what it may, and how long it goes on; null: for ever. No row unless the whole key is right. That two
-- digests are compared byte by byte tells nobody anything: who could choose the first bytes of one would have to invert it.
create or replace function shown_api_key(key_id text, shown bytea)
returns table (tenant_id text, scopes text[], is_revoked boolean, left_ms bigint)
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select k.tenant_id, k.scopes, k.revoked_at is not null, to_ms(k.expires_at) - to_ms(wall())
  from api_key k where k.id = key_id and k.digest = shown
$$;

revoke execute on function shown_api_key from public;
grant execute on function shown_api_key to signalbox_app;
