-- Leases do not run while the register was away: nobody could renew them. And a claim whose answer was lost is known again.
--
-- O1 Renewals are the proof that the register can be reached, whoever sends them, and each process sends one every few seconds, with
--    or without leases. A pause of half a lease between two of them was an outage: of the server, of the way to it, or of all who use it.
-- O2 A lease is over when its time has passed, and renewals have come without such a pause for as long as it was made for. Whoever
--    lived through an outage has that long to come back. One who alone is cut off is not waited for.
-- O3 One who gives a lease back (it is renewed for 0 ms) is not waited for either.

-- One row, or none before the first renewal: then leases just run.
create table heartbeat (
  only_one boolean primary key default true check (only_one),
  at timestamptz not null,
  up_since timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
