-- Can these drafts of events be written? `link_event` asks again when they are: an error there undoes the statement.
create or replace function are_events(drafts jsonb) returns boolean
language plpgsql immutable as $$
declare
  e jsonb;
begin
  for n in 0 .. coalesce(jsonb_array_length(drafts), 0) - 1 loop
    e := drafts -> n;
    if (fits(e ->> 'type') and fits(e ->> 'actor') and fits(coalesce(e ->> 'tool', '-')) and fits(coalesce(e ->> 'verdict', '-'))
      and (not e ? 'key' or fits(e ->> 'key')) and char_length(e ->> 'salt') = 32 and char_length(e ->> 'payloadHash') = 64
      and jsonb_typeof(e -> 'payload') = 'object') is not true
    then
      return false;
    end if;
  end loop;
  return true;
end $$;

revoke execute on function are_events from public;
