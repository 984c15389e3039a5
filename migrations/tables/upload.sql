-- Uploads: what users brought and no run has named yet. Not part of any conversation, and no blob: contents are shared by what is in them, so
-- a blob cannot be removed, and what nobody named can. A run that names uploads makes blobs of them, see use_uploads.
--
-- Both tables are of the tenant alone, and reached by functions alone. What is older than a day is removed, see sweep_uploads.

create table upload (
  tenant_id text not null,
  id text not null check (char_length(id) between 1 and 200),
  thread_id text not null,
  name text not null check (char_length(name) between 1 and 200),
  mime text not null check (char_length(mime) <= 200),
  bytes int not null check (bytes >= 0),
  sha256 bytea not null check (octet_length(sha256) = 32),
  key text not null check (char_length(key) between 1 and 200),  -- of the blob that it may become
  created_at timestamptz not null,
  named_at timestamptz,  -- by a run, the first time; null: it waits to be named
  primary key (tenant_id, id)
);
create index upload_by_thread on upload (tenant_id, thread_id);

-- The pieces of an upload, from 0. Those of one that broke off, or was refused, belong to no upload.
create table upload_part (
  tenant_id text not null,
  upload_id text not null check (char_length(upload_id) between 1 and 200),
  n int not null check (n >= 0),
  bytes bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, upload_id, n)
);
create index upload_part_by_age on upload_part (created_at);
