-- Repairs a restored feed: events get numbers below every running transaction, in the order in which they were written (`gpos`), as
-- many numbers as there are stretches if the cluster has counted that far. The hash chain does not cover them. Nothing is moved if no
-- event is ahead. Appends wait meanwhile. Positions that consumers kept are void if anything was moved.
create or replace function restore_feed(out moved bigint, out stretches int)
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

revoke execute on function restore_feed from public;
grant execute on function restore_feed to signalbox_maintenance;
