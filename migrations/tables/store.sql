-- The store: what agents and their servers remember across threads. One document per (tenant, namespace, key).
--
-- Nothing of it is in the event log: it is the tenant's own data, overwritten and deleted at his will.
--
-- Locks: the usage row of a tenant before his items, so that writers of one tenant queue up and cannot deadlock. Reads that
-- prolong a life take no usage row, and skip items that somebody writes right now.

create table store_item (
  tenant_id text not null,
  namespace text[] collate "C" not null,  -- so collated, the namespaces under a prefix stand together in the key
  key text collate "C" not null,
  value jsonb not null,
  ttl_minutes float8,                     -- null: it lives until it is deleted
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, namespace, key)
);
create index store_item_expires on store_item (expires_at) where expires_at is not null;

-- How many items a tenant has, those included that expired and were not swept yet.
create table store_usage (
  tenant_id text primary key,
  items int not null
);
