-- Pauses: an agent, a tool or a queue of a tenant starts nothing new for a while.
--
-- P1 After a pause is acknowledged no effect of its target starts, and no run of its agent is admitted. Every claim and every
--    admission reads this table in a statement that takes its snapshot after it has locked the table: whoever did not see the
--    pause holds that lock, as a writer, until it is over. So whoever sets a pause waits for those (`pause_missed_by`), and
--    nobody else ever waits.
-- P2 A claim that is refused for a pause holds the effect: it is not due, and nobody looks at it, until the pause is over. So
--    what waits costs nothing, however much it is and however long.
-- P3 A pause that is over, by its time or lifted, stays as a row until all that it held is released (`release_held`). A claim
--    holds an effect only under a lock on the row that it does not wait for, so that nothing is held by a pause that is gone.
-- P4 Work under way is not touched: it ends, and its result is recorded. Webhooks are delivered all the while.

create table pause (
  id uuid primary key,
  tenant_id text not null check (fits(tenant_id)),
  target text not null check (target in ('agent', 'tool', 'queue')),
  name text not null check (fits(name)),
  reason text not null check (char_length(reason) between 1 and 1000),
  set_at timestamptz not null,
  set_by text not null check (fits(set_by)),
  until timestamptz,                      -- null: until somebody lifts it, which sets it
  unique (tenant_id, target, name)
);
create index pause_over on pause (until) where until is not null;
