-- Minutes that a thread may live, ten years at most.
create or replace function is_ttl(minutes float8) returns boolean
language sql immutable parallel safe
return minutes > 0 and minutes <= 5256000;

revoke execute on function is_ttl from public;
