-- What an event about an approval leaves behind. `call.denied` and a repeated answer mostly find nothing that waits.
create or replace function keep_approval(r run, e event) returns void
language plpgsql volatile as $$
declare
  p jsonb := e.payload;
begin
  if e.type = 'approval.requested' then
    if fits(p ->> 'approvalId') and fits(p ->> 'callId') then
      insert into approval (run_id, seq, tenant_id, id, call_id, at)
      values (e.run_id, e.seq, e.tenant_id, p ->> 'approvalId', p ->> 'callId', e.at);
    end if;
    return;
  end if;
  update approval set waits = false where run_id = e.run_id and call_id = p ->> 'callId' and waits;
  if e.type = 'approval.answered' and p ->> 'scope' = 'always' and p ->> 'decision' = 'approve'
    and e.tool is not null and fits(p ->> 'argsHash')
  then
    insert into approval_grant (tenant_id, agent, tool, args_hash, run_id, seq)
    values (e.tenant_id, r.agent, e.tool, p ->> 'argsHash', e.run_id, e.seq);
  end if;
end $$;

revoke execute on function keep_approval from public;
