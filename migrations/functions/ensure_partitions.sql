-- Makes the partitions of this month and of the next ones, and answers how many were missing. A month that is late moves
-- its rows out of the default partition. ATTACH spares the parent the exclusive lock that CREATE ... PARTITION OF takes.
create or replace function ensure_partitions(months_ahead int default 3) returns int
language plpgsql security definer
set search_path = pg_catalog, signalbox, pg_temp
set timezone = 'UTC'
set lock_timeout = '5s'
as $$
declare
  first timestamptz;
  name text;
  made int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('signalbox.partitions', 0));
  for n in 0 .. least(greatest(months_ahead, 0), 120) loop
    first := date_trunc('month', now()) + make_interval(months => n);
    name := 'event_' || to_char(first, 'YYYY_MM');
    continue when to_regclass('signalbox.' || name) is not null;
    execute format('create table signalbox.%I (like signalbox.event including defaults including constraints'
      || ' including storage including compression)', name);
    execute format('with late as (delete from signalbox.event_default where run_id >= %L and run_id < %L returning *)'
      || ' insert into signalbox.%I select * from late',
      uuid_bound(first), uuid_bound(first + interval '1 month'), name);
    execute format('alter table signalbox.event attach partition signalbox.%I for values from (%L) to (%L)',
      name, uuid_bound(first), uuid_bound(first + interval '1 month'));
    made := made + 1;
  end loop;
  return made;
end $$;

revoke execute on function ensure_partitions from public;
grant execute on function ensure_partitions to signalbox_maintenance;
