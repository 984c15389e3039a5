-- Are there events of a transaction that this cluster has not begun yet? Then the register was restored from another one.
create or replace function feed_is_ahead() returns boolean
language sql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
return exists (select from event where xid >= pg_snapshot_xmax(pg_current_snapshot()));

revoke execute on function feed_is_ahead from public;
grant execute on function feed_is_ahead to signalbox_app, signalbox_engine, signalbox_maintenance;
