-- Keys of digests: what calls were asked and answered is known by an HMAC in events, so that nobody guesses what is erased.
--
-- A key belongs to a tenant, because approvals and recordings are found again over all of its runs. It stands here and nowhere
-- else: no role may read the table, and only who performs and decides runs may ask for the key of one tenant.

create table digest_key (
  tenant_id text primary key,
  key bytea not null check (octet_length(key) = 32),
  created_at timestamptz not null default now()
);
