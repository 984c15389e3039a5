-- Keys of the API, per tenant; and threads, whose ids are the tenant's own.
--
-- Of a key only the sha256 of its whole text is kept. That is enough, and a slow hash would add nothing: the secret part has
-- 192 random bits, so nobody finds it by trying, however fast each try is. The digest itself is readable by nobody: who
-- shows a key is looked up by a function that answers only for the right one.
--
-- A row is never deleted: it says who opened the API until when. The clock of the database alone decides what has expired.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

create table api_key (
  id text primary key check (is_id(id)),
  tenant_id text not null check (is_id(tenant_id)),
  name text not null check (char_length(name) between 1 and 100),
  scopes text[] not null check (scopes <@ array['enqueue', 'read', 'approve', 'audit', 'admin'] and cardinality(scopes) <= 5),
  digest bytea not null check (octet_length(digest) = 32),
  created_at timestamptz not null,
  created_by text not null check (fits(created_by)),
  expires_at timestamptz,                 -- null: never
  revoked_at timestamptz,
  revoked_by text check (fits(revoked_by)),
  last_used_at timestamptz                -- to the minute
) with (fillfactor = 80);
create index api_key_by_tenant on api_key (tenant_id, created_at desc, id);

-- Makes a key of the current tenant: ok, or too_many if `live_max` of its keys are live.
create function create_api_key(draft jsonb, live_max int) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tenant text := draft ->> 'tenantId';
begin
  perform check_tenant(tenant);
  perform pg_advisory_xact_lock(hashtextextended(netstring(tenant), 3));
  if (select count(*) from api_key where tenant_id = tenant and revoked_at is null
    and (expires_at is null or expires_at > wall())) >= live_max
  then
    return 'too_many';
  end if;
  insert into api_key (id, tenant_id, name, scopes, digest, created_at, created_by, expires_at)
  values (draft ->> 'id', tenant, draft ->> 'name',
    (select coalesce(array_agg(s order by n), '{}') from jsonb_array_elements_text(draft -> 'scopes') with ordinality e (s, n)),
    decode(draft ->> 'digest', 'hex'), wall(), draft ->> 'by', from_ms((draft ->> 'expiresAt')::bigint));
  return 'ok';
end $$;

-- Revokes a key of the current tenant. A second time changes nothing: who did it first, and when, stays.
create function revoke_api_key(tenant text, key_id text, by_whom text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  update api_key set revoked_at = wall(), revoked_by = by_whom
  where id = key_id and tenant_id = tenant and revoked_at is null;
end $$;

-- Whose key this is, what it may, and how long it goes on; null: for ever. No row unless the whole key is right. That two
-- digests are compared byte by byte tells nobody anything: who could choose the first bytes of one would have to invert it.
create function shown_api_key(key_id text, shown bytea)
returns table (tenant_id text, scopes text[], is_revoked boolean, left_ms bigint)
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select k.tenant_id, k.scopes, k.revoked_at is not null, to_ms(k.expires_at) - to_ms(wall())
  from api_key k where k.id = key_id and k.digest = shown
$$;

-- Notes that keys are in use, each at most once a minute, however many processes say so.
create function touch_api_keys(key_ids text[]) returns void
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  update api_key k set last_used_at = wall()
  from (
    select id from api_key
    where id = any (key_ids) and (last_used_at is null or last_used_at <= wall() - interval '1 minute')
    order by id for update skip locked
  ) due where k.id = due.id
$$;

-- Was there ever a key, of any tenant? Revoked ones count: revoking the last one must not open the door.
create function has_api_keys() returns boolean
language sql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$ select exists (select from api_key) $$;

alter table api_key enable row level security;
alter table api_key force row level security;
create policy owner_all on api_key to signalbox_owner using (true) with check (true);
create policy app_read on api_key for select to signalbox_app
  using (tenant_id = current_setting('signalbox.tenant', true));
-- Not the digest.
grant select (id, tenant_id, name, scopes, created_at, created_by, expires_at, revoked_at, revoked_by, last_used_at)
  on api_key to signalbox_app;

revoke execute on function create_api_key, revoke_api_key, shown_api_key, touch_api_keys, has_api_keys from public;
grant execute on function create_api_key, revoke_api_key, shown_api_key, touch_api_keys, has_api_keys to signalbox_app;

-- Clients choose the ids of threads: that a tenant has one must neither show nor be in the way of another (I19).
alter table thread drop constraint thread_pkey, add primary key (tenant_id, thread_id);
