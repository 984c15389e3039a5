-- Is there room for a decision? The final one leaves nothing; one that asks for work leaves what settles and ends all of it.
create or replace function decision_fits(r run, d jsonb) returns boolean
language sql stable
return r.seq + jsonb_array_length(d -> 'events') + case
  when d ->> 'status' = 'ended' then 0
  when jsonb_array_length(d -> 'effects') > 0 then kept(open_effects(r) + jsonb_array_length(d -> 'effects'))
  else kept(open_effects(r)) / 2 end <= event_limit();

revoke execute on function decision_fits from public;
