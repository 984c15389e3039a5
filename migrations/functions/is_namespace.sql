-- 1 to 16 labels, 800 octets together: an index holds them, together with a tenant and a key. A control character in a
-- label could stand between a prefix and what is under it.
create or replace function is_namespace(n text[]) returns boolean
language sql immutable parallel safe
return array_ndims(n) = 1 and cardinality(n) <= 16 and octet_length(array_to_string(n, '.')) <= 800
  and array_position(n, null) is null and array_position(n, '') is null
  and strpos(array_to_string(n, ''), '.') = 0 and array_to_string(n, '') !~ '[[:cntrl:]]';

revoke execute on function is_namespace from public;
