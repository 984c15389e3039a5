-- Read after a lock was obtained, never before it: what stands in the row must not lie in our future. The clock of
-- the database is the only clock that leases, timers and delays know.
create or replace function wall() returns timestamptz
language sql volatile
return date_trunc('milliseconds', clock_timestamp());

revoke execute on function wall from public;
