-- The place that the run gets with its thread's slot; null if it may not have it yet. The lock is tried, never waited for: who
-- does not get it stays queued, and the poll of admissible runs comes back to it. Held to the end of the transaction, it keeps
-- `run_slot` from ever blocking, and places from being given twice.
-- Two statements, not one: the second needs a snapshot from after the lock, or it misses who held it just before.
-- A paused agent admits no run (P1 of tables/pause.sql).
create or replace function admission_of(r run, moment timestamptz) returns int
language plpgsql volatile as $$
begin
  if r.due_at > moment or not pg_try_advisory_xact_lock(thread_lock(r.tenant_id, r.thread_id)) then
    return null;
  end if;
  -- P1: whoever asks is seen as a writer, also before it has written anything.
  perform pg_current_xact_id();
  if exists (
    select from pause p
    where p.tenant_id = r.tenant_id and p.target = 'agent' and p.name = r.agent and coalesce(p.until > wall(), true))
  then
    return null;
  end if;
  if r.laned and lanes_full(r.id, moment) then
    return null;
  end if;
  return (
    select 1 + coalesce((
      select o.place from run o
      where o.tenant_id = r.tenant_id and o.thread_id = r.thread_id and o.place is not null
      order by o.place desc limit 1), 0)
    where not exists (
      select from run o
      where o.tenant_id = r.tenant_id and o.thread_id = r.thread_id and o.status <> 'ended'
        and o.id <> r.id and (o.admitted or (o.due_at, o.id) < (r.due_at, r.id))));
end $$;

revoke execute on function admission_of from public;
