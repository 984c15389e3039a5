-- May anything of the run still begin? Not what has no lease (a run that was started), nor what executes nothing (a question to a
-- policy, a recall) or outlives the run. Locked: a renewal that is under way is waited for, and none comes before the
-- end is there.
create or replace function claim_stands(run uuid, moment timestamptz) returns boolean
language sql volatile
begin atomic
  select coalesce(bool_or(not has_lapsed(c.lease_until, c.lease_ms, moment)), false) from (
    select e.lease_until, e.lease_ms from effect e
    where e.run_id = run and e.status = 'started' and e.lease_until is not null
      and not outlives_run(e.kind) and e.kind not in ('policy.evaluate', 'tool.recall')
    for update
  ) c;
end;

revoke execute on function claim_stands from public;
