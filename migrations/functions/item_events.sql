-- Events an item may add.
create or replace function item_events(item jsonb) returns int
language sql immutable
return coalesce(jsonb_array_length(item -> 'facts'), 0) + coalesce(jsonb_array_length(item -> 'notes'), 0)
  + coalesce(jsonb_array_length(item -> 'claims'), 0) + coalesce(jsonb_array_length(item #> '{decision,events}'), 0);

revoke execute on function item_events from public;
