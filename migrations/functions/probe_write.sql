-- Writes 64 kB into a new file and into the WAL, as an append might have to: raises what the append would (disk full, read-only).
-- For a process whose last append has failed, and that may get no other until it is known to be well.
create or replace function probe_write() returns void
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
