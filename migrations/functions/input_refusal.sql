-- Why something cannot be said to a run that has not ended: `ended`, it is to end; `full`. Null: it can.
create or replace function input_refusal(r run, fact jsonb) returns text
language plpgsql stable as $$
declare
  messages bigint;
  bytes bigint;
begin
  if r.cancel_requested then
    return 'ended';
  end if;
  select coalesce(sum(jsonb_array_length(payload -> 'messages')), 0), coalesce(sum((payload ->> 'bytes')::int), 0)
  into messages, bytes
  from event where run_id = r.id and type = 'input.injected';
  if messages + jsonb_array_length(fact #> '{payload,messages}') > 100
    or bytes + (fact #>> '{payload,bytes}')::int > 1048576
  then
    return 'full';
  end if;
  return null;
end $$;

revoke execute on function input_refusal from public;
