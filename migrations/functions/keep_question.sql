-- Keeps beside the log which questions of models wait for a person. An answer that comes again, or too late, finds none that waits.
create or replace function keep_question() returns trigger
language plpgsql volatile as $$
begin
  if new.type <> 'input.requested' then
    update signalbox.question set waits = false
    where run_id = new.run_id and call_id = new.payload ->> 'callId' and waits;
  elsif signalbox.fits(new.payload ->> 'callId') then
    insert into signalbox.question (run_id, seq, tenant_id, call_id, at)
    values (new.run_id, new.seq, new.tenant_id, new.payload ->> 'callId', new.at);
  end if;
  return null;
end $$;

revoke execute on function keep_question from public;
