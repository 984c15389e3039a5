-- Removes rows about runs that ended so long ago, oldest first, at most so many of each table: their effects, approvals, questions,
-- lanes and aliases. Answers how many. Of what is removed the log still tells; an idempotency key that is gone makes a new run. What
-- must still be delivered stays, and so does all that a replay, a thread or an audit reads.
-- Nobody calls it by itself.
create or replace function sweep_ended(older_than interval, max_rows int) returns int
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  before timestamptz := now() - older_than;
  -- Runs are named by their time: older ids are looked at alone.
  bound uuid := uuid_bound(before);
  gone int;
  total int := 0;
begin
  if (older_than >= interval '1 day' and max_rows between 1 and 100000) is not true then
    raise exception 'sweep_ended takes at least a day, and 1 to 100000 rows' using errcode = '22023';
  end if;
  delete from effect where id in (
    select e.id from effect e join run r on r.id = e.run_id
    where e.id < bound::text and e.status not in ('pending', 'started') and r.status = 'ended' and r.updated_at < before
    order by e.id limit max_rows for update of e skip locked);
  get diagnostics gone = row_count;
  total := total + gone;
  delete from approval where (run_id, seq) in (
    select a.run_id, a.seq from approval a join run r on r.id = a.run_id
    where a.run_id < bound and r.status = 'ended' and r.updated_at < before
    order by a.run_id limit max_rows for update of a skip locked);
  get diagnostics gone = row_count;
  total := total + gone;
  delete from question where (run_id, seq) in (
    select q.run_id, q.seq from question q join run r on r.id = q.run_id
    where q.run_id < bound and r.status = 'ended' and r.updated_at < before
    order by q.run_id limit max_rows for update of q skip locked);
  get diagnostics gone = row_count;
  total := total + gone;
  delete from lane where (run_id, key) in (
    select l.run_id, l.key from lane l join run r on r.id = l.run_id
    where l.run_id < bound and l.over and r.status = 'ended' and r.updated_at < before
      and coalesce(l.admitted_at + interval '1 millisecond' * l.per_ms < now(), true)
    order by l.run_id limit max_rows for update of l skip locked);
  get diagnostics gone = row_count;
  total := total + gone;
  delete from alias where (tenant_id, key) in (
    select a.tenant_id, a.key from alias a join run r on r.id = a.run_id
    where a.run_id < bound and r.status = 'ended' and r.updated_at < before
    limit max_rows for update of a skip locked);
  get diagnostics gone = row_count;
  return total + gone;
end $$;

revoke execute on function sweep_ended from public;
grant execute on function sweep_ended to signalbox_maintenance;
