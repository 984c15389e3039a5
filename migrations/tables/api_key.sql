-- Keys of the API, per tenant.
--
-- Of a key only the sha256 of its whole text is kept. That is enough, and a slow hash would add nothing: the secret part has
-- 192 random bits, so nobody finds it by trying, however fast each try is. The digest itself is readable by nobody: who
-- shows a key is looked up by a function that answers only for the right one.
--
-- A row is never deleted: it says who opened the API until when. The clock of the database alone decides what has expired.

create table api_key (
  id text primary key check (is_id(id)),
  tenant_id text not null check (is_id(tenant_id)),
  name text not null check (char_length(name) between 1 and 100),
  scopes text[] not null check (scopes <@ array['enqueue', 'read', 'approve', 'audit', 'admin', 'memory:read', 'memory:write'] and cardinality(scopes) <= 7),
  digest bytea not null check (octet_length(digest) = 32),
  created_at timestamptz not null,
  created_by text not null check (fits(created_by)),
  expires_at timestamptz,                 -- null: never
  revoked_at timestamptz,
  revoked_by text check (fits(revoked_by)),
  last_used_at timestamptz                -- to the minute
) with (fillfactor = 80);
create index api_key_by_tenant on api_key (tenant_id, created_at desc, id);
