-- Writes a version: the first of a new assistant, or the next one of who saw how many there are, and runs use it from now on.
-- Answers `ok`; `exists`: the id is taken; `moved`: there is another version by now, or no assistant any more; `full`: the
-- tenant has 1000 assistants, or the assistant 1000 versions.
create or replace function put_assistant(a jsonb, seen int) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tenant text := a ->> 'tenantId';
  aid uuid := (a ->> 'assistantId')::uuid;
  moment timestamptz;
begin
  perform check_tenant(tenant);
  if (fits(tenant) and fits(a ->> 'agent') and fits(a ->> 'name') and fits(a ->> 'actor')
    and jsonb_typeof(a -> 'metadata') = 'object' and jsonb_typeof(a -> 'config') = 'object'
    and jsonb_typeof(a -> 'context') = 'object' and pg_column_size(a) <= 4194304) is not true
  then
    raise exception 'assistant_malformed' using errcode = '22023';
  end if;
  if seen is null then
    perform pg_advisory_xact_lock(hashtextextended(netstring(tenant) || 'assistants', 4));
    if exists (select from assistant where tenant_id = tenant and id = aid) then
      return 'exists';
    end if;
    if (select count(*) from assistant where tenant_id = tenant) >= 1000 then
      return 'full';
    end if;
    moment := wall();
    insert into assistant values (tenant, aid, 1, 1, moment, moment);
  else
    if seen >= 1000 then
      return 'full';
    end if;
    update assistant set version = seen + 1, versions = seen + 1, updated_at = wall()
    where tenant_id = tenant and id = aid and versions = seen returning updated_at into moment;
    if not found then
      return 'moved';
    end if;
  end if;
  insert into assistant_version values (tenant, aid, coalesce(seen, 0) + 1, a ->> 'agent', a ->> 'name',
    a ->> 'description', a -> 'metadata', a -> 'config', a -> 'context', a ->> 'actor', moment);
  return 'ok';
end $$;

revoke execute on function put_assistant from public;
grant execute on function put_assistant to signalbox_app;
