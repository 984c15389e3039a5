-- The steps that this database has had (packages/postgres/src/migrate). `needs_code`: the newest step that a build must know
-- at least to work with this one.

create table migration (
  version int primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now(),
  needs_code int not null
);
