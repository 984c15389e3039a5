-- Writes what its owner may change, if he saw the last revision. Its next time stands unless `reschedule`: it may be fired
-- right now.
create or replace function update_cron(c jsonb, reschedule boolean) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(c ->> 'tenantId');
  if is_cron(c) is not true then
    raise exception 'cron_malformed' using errcode = '22023';
  end if;
  update cron set schedule = c ->> 'schedule', timezone = c ->> 'timezone', end_at = from_ms((c ->> 'endAt')::bigint),
    enabled = (c ->> 'enabled')::boolean, body = c -> 'body', metadata = c -> 'metadata',
    next_at = case when reschedule then from_ms((c ->> 'nextAt')::bigint) else next_at end,
    revision = revision + 1, updated_at = wall()
  where id = (c ->> 'cronId')::uuid and tenant_id = c ->> 'tenantId' and revision = (c ->> 'revision')::int;
  return found;
end $$;

revoke execute on function update_cron from public;
grant execute on function update_cron to signalbox_app, signalbox_engine;
