-- The lock of a thread: who holds it sees every run of the thread that was created under it.
create or replace function thread_lock(tenant text, thread text) returns bigint
language sql immutable parallel safe
return hashtextextended(netstring(tenant) || netstring(thread), 1);

revoke execute on function thread_lock from public;
