-- Writers that may have missed what is committed now (P1), by the names of their transactions; of some of them, those that are
-- still under way.
create or replace function pause_missed_by(among text[] default null) returns text[]
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select coalesce(array_agg(distinct l.virtualtransaction), '{}')
  from pg_locks l join pg_locks x on x.virtualtransaction = l.virtualtransaction
  where l.locktype = 'relation' and l.relation = 'signalbox.pause'::regclass
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.granted and l.pid <> pg_backend_pid()
    and x.locktype = 'transactionid' and x.mode = 'ExclusiveLock' and x.granted
    and (among is null or l.virtualtransaction = any (among))
$$;

revoke execute on function pause_missed_by from public;
grant execute on function pause_missed_by to signalbox_engine;
