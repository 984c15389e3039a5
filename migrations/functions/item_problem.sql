-- What rejects a whole item whatever stands in the register, null if nothing.
create or replace function item_problem(item jsonb) returns text
language plpgsql stable as $$
declare
  c jsonb := item -> 'create';
begin
  if c is not null then
    if (item #>> '{facts,0,type}') is distinct from 'run.created' then
      return 'create_without_run_created';
    end if;
    if (fits(item ->> 'tenantId') and fits(c ->> 'threadId') and fits(c ->> 'agent') and fits(c ->> 'definitionHash')
      and fits(c ->> 'machine') and jsonb_typeof(c -> 'metadata') = 'object'
      and coalesce(c ->> 'multitask', 'enqueue') in ('enqueue', 'reject', 'interrupt', 'rollback')
      and coalesce(c ->> 'delayMs', '0') ~ '^[0-9]{1,12}$'
      and coalesce(c ->> 'priority', '0') ~ '^-?[0-9]{1,4}$'
      and coalesce(jsonb_array_length(c -> 'lanes'), 0) <= 8) is not true
    then
      return 'create_malformed';
    end if;
  end if;
  if item ? 'settle' then
    c := item -> 'settle';
    if (is_id(c ->> 'effectId') and (c ->> 'attempt') ~ '^[0-9]{1,9}$' and (c ->> 'delayMs') ~ '^[0-9]{1,10}$'
      and c ->> 'expect' in ('started', 'done') and c ->> 'becomes' in ('done', 'pending')) is not true
    then
      return 'settle_malformed';
    end if;
  end if;
  if not (are_events(item -> 'facts') and are_events(item -> 'notes')) then
    return 'event_malformed';
  end if;
  return null;
end $$;

revoke execute on function item_problem from public;
