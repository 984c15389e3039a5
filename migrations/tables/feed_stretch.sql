-- The survey of the feed, also of a register that was restored from a dump.
--
-- F1 Events keep the transaction numbers of the cluster that wrote them. A dump carries these numbers into a cluster that counts from
--    another one, so a number alone does not say that nothing more comes before it.
-- F2 A stretch is believed only if it was noted by a later transaction of *this* cluster than all that it covers (`xid < noted_by`).
--    Those that are believed begin with the feed and have no gap, so a stale table makes an audit slow, never wrong.
-- F3 `restore_feed()` gives all events numbers of this cluster and surveys them. Without it, restored events that are ahead of the
--    counter stay out of the feed until the counter has passed them.

-- The times of stretches of the feed, each through (xid, gpos) and of no transaction before `first_xid`, so that a time can be looked
-- for in a few of them. Positions follow the clock, but not strictly: so a stretch says what is in it, and nothing is concluded from its neighbours.
-- What is below every running transaction never changes, so neither does a stretch. It is no tenant's: it names nothing.
create table feed_stretch (
  xid xid8 not null,
  gpos bigint not null,
  first_xid xid8 not null,
  at_min timestamptz not null,
  at_max timestamptz not null,
  noted_by xid8 not null generated always as (signalbox.writing_transaction()) stored,
  primary key (xid, gpos)
);
