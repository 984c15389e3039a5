-- The smallest UUIDv7 of a moment: its first 48 bits are milliseconds since the epoch.
create or replace function uuid_bound(t timestamptz) returns uuid
language sql stable
return (lpad(to_hex(to_ms(t)), 12, '0') || '00000000000000000000')::uuid;

revoke execute on function uuid_bound from public;
