-- Surveys what the feed has got since the last time, as far as it fills stretches of 4096 events: `most` of them at once. Answers
-- how many were made; none also while somebody else is at it.
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

revoke execute on function survey_feed from public;
grant execute on function survey_feed to signalbox_engine;
