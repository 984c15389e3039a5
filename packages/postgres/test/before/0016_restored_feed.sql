-- needs_code: 11
-- A register that was restored from a dump, a database that takes no writes, and builds that are older than the schema.
--
-- F1 Events keep the transaction numbers of the cluster that wrote them. A dump carries these numbers into a cluster that counts from
--    another one, so a number alone does not say that nothing more comes before it.
-- F2 A stretch is believed only if it was noted by a later transaction of *this* cluster than all that it covers (`xid < noted_by`).
--    Those that are believed begin with the feed and have no gap, so a stale table makes an audit slow, never wrong.
-- F3 `restore_feed()` gives all events numbers of this cluster and surveys them. Without it, restored events that are ahead of the
--    counter stay out of the feed until the counter has passed them.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- The newest migration that a build must know at least to work with this one. Null: this one (recorded before there was the column).
alter table migration add column needs_code int;

-- ---- the survey of the feed ----

-- The transaction that writes a row. Declared immutable because only such functions may generate a column, and a generated column is
-- the one thing that a dump does not carry: a restore computes it anew, with a number of the new cluster. It is evaluated once per
-- statement that writes, never for one that reads.
create function writing_transaction() returns xid8
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return pg_current_xact_id();
end $$;
revoke execute on function writing_transaction from public;

alter table feed_stretch add column noted_by xid8 not null generated always as (signalbox.writing_transaction()) stored;

-- A register that was restored and renumbered by hand has stretches that end where no event is.
delete from feed_stretch where exists (
  select from feed_stretch s
  where not exists (select from event e where e.xid = s.xid and e.gpos = s.gpos)
);

create or replace function survey_feed(most int) returns int
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  seen feed_stretch;
  made int;
begin
  if (most between 1 and 1000) is not true then
    raise exception 'survey_feed takes 1 to 1000 stretches' using errcode = '22023';
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended('signalbox.feed_stretch', 0)) then
    return 0;
  end if;
  delete from feed_stretch where xid >= noted_by;
  select * into seen from feed_stretch order by xid desc, gpos desc limit 1;
  seen.xid := coalesce(seen.xid, '0');
  seen.gpos := coalesce(seen.gpos, 0);
  insert into feed_stretch (xid, gpos, first_xid, at_min, at_max)
  select xid, gpos, first_xid, at_min, at_max
  from (
    select xid, gpos, n, min(xid) over stretch as first_xid, min(at) over stretch as at_min, max(at) over stretch as at_max
    from (
      select e.xid, e.gpos, e.at, row_number() over (order by e.xid, e.gpos) as n
      from event e
      where (e.xid, e.gpos) > (seen.xid, seen.gpos) and e.xid < pg_snapshot_xmin(pg_current_snapshot())
      order by e.xid, e.gpos
      limit most * 4096
    ) e
    window stretch as (partition by (n - 1) / 4096)
  ) e
  where n % 4096 = 0;
  get diagnostics made = row_count;
  return made;
end $$;

-- Positions that change by any hand are surveyed anew. No function but restore_feed() changes one.
create function forget_survey() returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  delete from feed_stretch;
  return null;
end $$;
revoke execute on function forget_survey from public;

create trigger event_moved after update of xid, gpos on event
for each statement execute function forget_survey();

-- ---- a restored feed ----

-- Are there events of a transaction that this cluster has not begun yet? Then the register was restored from another one.
create function feed_is_ahead() returns boolean
language sql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
return exists (select from event where xid >= pg_snapshot_xmax(pg_current_snapshot()));

-- Repairs a restored feed: events get numbers below every running transaction, in the order in which they were written (`gpos`), as
-- many numbers as there are stretches if the cluster has counted that far. The hash chain does not cover them. Nothing is moved if no
-- event is ahead. Appends wait meanwhile. Positions that consumers kept are void if anything was moved.
create function restore_feed(out moved bigint, out stretches int)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  made int;
  each bigint;
begin
  moved := 0;
  stretches := 0;
  perform pg_advisory_xact_lock(hashtextextended('signalbox.feed_stretch', 0));
  lock table event in share row exclusive mode;
  if feed_is_ahead() then
    select greatest(4096, ceil(count(*) / (pg_snapshot_xmin(pg_current_snapshot())::text::numeric - 3)))
    into each from event;
    update event e set xid = place.xid
    from (
      select run_id, seq, (3 + (row_number() over (order by gpos, run_id, seq) - 1) / each)::text::xid8 as xid from event
    ) place
    where e.run_id = place.run_id and e.seq = place.seq and e.xid <> place.xid;
    get diagnostics moved = row_count;
  end if;
  delete from feed_stretch;
  loop
    made := survey_feed(1000);
    exit when made = 0;
    stretches := stretches + made;
  end loop;
end $$;

revoke execute on function feed_is_ahead, restore_feed from public;
grant execute on function feed_is_ahead to signalbox_app, signalbox_engine, signalbox_maintenance;
grant execute on function restore_feed to signalbox_maintenance;

-- ---- does the database take writes? ----

create table write_probe (filler text not null);
alter table write_probe enable row level security;
alter table write_probe force row level security;
create policy owner_all on write_probe to signalbox_owner using (true) with check (true);

-- Writes 64 kB into a new file and into the WAL, as an append might have to: raises what the append would (disk full, read-only).
-- For a process whose last append has failed, and that may get no other until it is known to be well.
create function probe_write() returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
set lock_timeout = '1s'
as $$
begin
  truncate write_probe;
  insert into write_probe select repeat(md5(n::text), 62) from generate_series(1, 32) n;
end $$;
revoke execute on function probe_write from public;
grant execute on function probe_write to signalbox_engine;
