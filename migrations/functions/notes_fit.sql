-- Is there room for the notes of an item? That something is deleted can be said to the last. A webhook that is asked for once
-- more is two events more: the attempt, and what comes of it.
-- What ends an attempt leaves as much as a fact does. There is one for each claim, which had room for both.
create or replace function notes_fit(r run, item jsonb) returns boolean
language sql stable
return coalesce(jsonb_array_length(item -> 'notes'), 0) = 0
  or r.seq + jsonb_array_length(item -> 'notes') + case when item #>> '{settle,expect}' = 'done' then 2 else 0 end + case
    when item #>> '{notes,0,type}' in ('run.hidden', 'thread.hidden', 'payload.erased')
      then case when r.status = 'ended' then 0 else 8 end
    when r.status = 'ended' then 4
    when item #>> '{settle,expect}' = 'started' then 8
    else kept(open_effects(r)) end <= event_limit();

revoke execute on function notes_fit from public;
