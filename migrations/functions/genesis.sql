-- hash_0 of the chain of a run.
create or replace function genesis(tenant text, run uuid) returns bytea
language sql immutable parallel safe
return sha256(convert_to('signalbox.v1', 'UTF8') || '\x00'::bytea || convert_to(tenant, 'UTF8') || '\x00'::bytea
  || convert_to(run::text, 'UTF8'));

revoke execute on function genesis from public;
