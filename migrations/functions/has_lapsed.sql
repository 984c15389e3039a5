-- Is the lease of a started effect over?
create or replace function has_lapsed(lease_until timestamptz, lease_ms bigint, moment timestamptz) returns boolean
language sql stable
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select lease_until <= moment and (coalesce(lease_ms, 0) = 0 or not exists (
    select from heartbeat h
    where moment < h.up_since + interval '1 millisecond' * lease_ms
      or moment > h.at + interval '1 millisecond' * (lease_ms / 2)))
$$;

revoke execute on function has_lapsed from public;
