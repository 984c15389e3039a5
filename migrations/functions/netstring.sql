-- A netstring as the hash chain of tables/event.sql joins it.
create or replace function netstring(t text) returns text
language sql immutable parallel safe
return coalesce(octet_length(t)::text || ':' || t || ',', '-,');

revoke execute on function netstring from public;
