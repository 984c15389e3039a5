-- May this cron be written, whatever stands in the table?
create or replace function is_cron(c jsonb) returns boolean
language sql stable
return fits(c ->> 'tenantId') and fits(coalesce(c ->> 'threadId', '-')) and fits(c ->> 'assistant')
  and char_length(c ->> 'schedule') between 1 and 100 and char_length(coalesce(c ->> 'timezone', '-')) between 1 and 100
  and jsonb_typeof(c -> 'body') = 'object' and jsonb_typeof(c -> 'metadata') = 'object'
  and jsonb_typeof(c -> 'maker') = 'object' and jsonb_typeof(c -> 'enabled') = 'boolean'
  and pg_column_size(c) <= 4194304;

revoke execute on function is_cron from public;
