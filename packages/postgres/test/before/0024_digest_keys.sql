-- needs_code: 18
-- Keys of digests: what calls were asked and answered is known by an HMAC in events, so that nobody guesses what is erased.
--
-- A key belongs to a tenant, because approvals and recordings are found again over all of its runs. It stands here and nowhere
-- else: no role may read the table, and only who performs and decides runs may ask for the key of one tenant.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

create table digest_key (
  tenant_id text primary key,
  key bytea not null check (octet_length(key) = 32),
  created_at timestamptz not null default now()
);

alter table digest_key enable row level security;
alter table digest_key force row level security;
create policy owner_all on digest_key to signalbox_owner using (true) with check (true);

-- The key of a tenant: `wanted`, if it has none yet. Read first, for all but the first call find it there.
create function digest_key(of_tenant text, wanted bytea) returns bytea
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  stands bytea;
begin
  perform check_tenant(of_tenant);
  select k.key into stands from digest_key k where k.tenant_id = of_tenant;
  if found then
    return stands;
  end if;
  insert into digest_key (tenant_id, key) values (of_tenant, wanted) on conflict (tenant_id) do nothing;
  select k.key into strict stands from digest_key k where k.tenant_id = of_tenant;
  return stands;
end $$;

revoke execute on function digest_key from public;
grant execute on function digest_key to signalbox_engine;
