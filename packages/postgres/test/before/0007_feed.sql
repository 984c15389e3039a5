-- Audits page by the position in the feed, so that is what their indexes are ordered by. Ordered by time, as they were, a page of
-- what began late, or of a few hours, read all that lies before it.
--
-- As many indexes as before, for every append pays for each. Those of a thread are found by its runs.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

drop index event_by_thread, event_by_type, event_by_tool, event_by_actor, event_by_verdict;
create index event_by_tenant on event (tenant_id, xid, gpos);
create index event_by_type on event (tenant_id, type, xid, gpos);
create index event_by_tool on event (tenant_id, tool, xid, gpos) where tool is not null;
create index event_by_actor on event (tenant_id, actor, xid, gpos);
create index event_by_verdict on event (tenant_id, verdict, xid, gpos) where verdict is not null;

-- The times of stretches of the feed, each through (xid, gpos) and of no transaction before `first_xid`, so that a time can be looked
-- for in a few of them. Positions follow the clock, but not strictly: so a stretch says what is in it, and nothing is concluded from its neighbours.
-- What is below every running transaction never changes, so neither does a stretch. It is no tenant's: it names nothing.
create table feed_stretch (
  xid xid8 not null,
  gpos bigint not null,
  first_xid xid8 not null,
  at_min timestamptz not null,
  at_max timestamptz not null,
  primary key (xid, gpos)
);

-- Surveys what the feed has got since the last time, as far as it fills stretches of 4096 events: `most` of them at once. Answers
-- how many were made; none also while somebody else is at it.
create function survey_feed(most int) returns int
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

do $$
begin
  while survey_feed(100) > 0 loop
  end loop;
end $$;

alter table feed_stretch enable row level security;
alter table feed_stretch force row level security;
create policy owner_all on feed_stretch to signalbox_owner using (true) with check (true);
create policy engine_read on feed_stretch for select to signalbox_engine using (true);
create policy app_read on feed_stretch for select to signalbox_app using (true);
grant select on feed_stretch to signalbox_app, signalbox_engine;
revoke execute on function survey_feed from public;
grant execute on function survey_feed to signalbox_engine;

-- An erased run is nobody's: it is forgotten with its first event, so that no count has to look at that of each run.
create function forget_end_user() returns trigger
language plpgsql volatile as $$
begin
  delete from signalbox.end_user_run where run_id = new.run_id;
  return null;
end $$;

create trigger event_erased after update of payload on event
for each row when (new.seq = 1 and new.payload is null)
execute function forget_end_user();

delete from end_user_run u using event f
where f.run_id = u.run_id and f.seq = 1 and f.payload is null;
revoke execute on function forget_end_user from public;
