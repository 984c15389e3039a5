-- Answers `ok`, or `full`: the tenant has 1000. Creates of one tenant wait for each other.
create or replace function create_cron(c jsonb) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tenant text := c ->> 'tenantId';
begin
  perform check_tenant(tenant);
  if is_cron(c) is not true then
    raise exception 'cron_malformed' using errcode = '22023';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(netstring(tenant) || 'crons', 3));
  if (select count(*) from cron where tenant_id = tenant) >= 1000 then
    return 'full';
  end if;
  insert into cron (id, tenant_id, thread_id, assistant, schedule, timezone, end_at, enabled, body, metadata, maker,
    next_at, created_at, updated_at)
  values ((c ->> 'cronId')::uuid, tenant, c ->> 'threadId', c ->> 'assistant', c ->> 'schedule', c ->> 'timezone',
    from_ms((c ->> 'endAt')::bigint), (c ->> 'enabled')::boolean, c -> 'body', c -> 'metadata', c -> 'maker',
    from_ms((c ->> 'nextAt')::bigint), wall(), wall());
  return 'ok';
end $$;

revoke execute on function create_cron from public;
grant execute on function create_cron to signalbox_app, signalbox_engine;
