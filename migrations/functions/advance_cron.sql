-- The cron moves on from a time that was fired. False: somebody else moved it on, or its owner did (K1).
create or replace function advance_cron(cron_id uuid, fired_ms bigint, next_ms bigint, run text, problem text) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  update cron set next_at = from_ms(next_ms), last_at = next_at, last_run = run, last_problem = left(problem, 1000)
  where id = cron_id and next_at = from_ms(fired_ms);
  return found;
end $$;

revoke execute on function advance_cron from public;
grant execute on function advance_cron to signalbox_engine;
