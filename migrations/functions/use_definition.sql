-- Records the draft if the tenant of it never used the definition before.
create or replace function use_definition(definition_hash text, draft jsonb) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(draft ->> 'tenantId');
  if fits(definition_hash) is not true then
    raise exception 'ledger_malformed' using errcode = '22023';
  end if;
  insert into definition_use values (draft ->> 'tenantId', definition_hash, wall()) on conflict do nothing;
  if not found then
    return 'known';
  end if;
  return record_in_ledger(draft);
end $$;

revoke execute on function use_definition from public;
grant execute on function use_definition to signalbox_engine;
