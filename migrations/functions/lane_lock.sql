-- Who admits a run of a lane holds its lock: so nobody counts what another is about to add.
create or replace function lane_lock(tenant text, key text) returns bigint
language sql immutable parallel safe
return hashtextextended(netstring(tenant) || netstring(key), 3);

revoke execute on function lane_lock from public;
