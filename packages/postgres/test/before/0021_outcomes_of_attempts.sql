-- needs_code: 18
-- The note that ends an attempt has room in a long history. `kept` keeps for each open effect its claim, its outcome and two
-- decisions; the outcome of a delivery is a note, and was refused what was kept for it: a webhook ended, and the log did not say how.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- As before, but that what ends an attempt leaves as much as a fact does. There is one for each claim, which had room for both.
create or replace function notes_fit(r run, item jsonb) returns boolean
language sql stable
return coalesce(jsonb_array_length(item -> 'notes'), 0) = 0
  or r.seq + jsonb_array_length(item -> 'notes') + case when item #>> '{settle,expect}' = 'done' then 2 else 0 end + case
    when item #>> '{notes,0,type}' in ('run.hidden', 'thread.hidden', 'payload.erased')
      then case when r.status = 'ended' then 0 else 8 end
    when r.status = 'ended' then 4
    when item #>> '{settle,expect}' = 'started' then 8
    else kept(open_effects(r)) end <= event_limit();
