-- Is this a claim that can be tried?
create or replace function is_claim(c jsonb) returns boolean
language sql immutable parallel safe
return (is_id(c ->> 'owner') and char_length(c ->> 'owner') <= 100 and is_id(c ->> 'effectId')
  and (c ->> 'leaseMs') ~ '^[1-9][0-9]{0,8}$' and (c ->> 'at') ~ '^[0-9]{1,15}$' and (c ->> 'salt') ~ '^[0-9a-f]{32}$') is true;

revoke execute on function is_claim from public;
