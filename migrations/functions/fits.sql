-- An id, a name or a key: what an index holds. A btree key ends at about 2.7 kB.
create or replace function fits(t text) returns boolean
language sql immutable parallel safe
return char_length(t) between 1 and 200;

revoke execute on function fits from public;
