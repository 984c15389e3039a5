-- Pauses a target, or says anew why and until when, and records it. `taken`: it is paused under another id, otherwise; `full`:
-- the tenant has as many pauses as `most`. A pause that is over begins anew, under the new id.
create or replace function set_pause(draft jsonb, most int, out code text, out pause_id uuid)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tenant text := draft ->> 'tenantId';
  kind text := draft #>> '{target,kind}';
  called text := draft #>> '{target,name}';
  ends timestamptz := from_ms((draft ->> 'until')::bigint);
  old pause;
begin
  perform check_tenant(tenant);
  if draft #>> '{told,tenantId}' is distinct from tenant then
    raise exception 'pause_malformed' using errcode = '22023';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(netstring(tenant) || 'pauses', 3));
  select * into old from pause p where p.tenant_id = tenant and p.target = kind and p.name = called for update;
  pause_id := (draft ->> 'pauseId')::uuid;
  if old.id is not null and coalesce(old.until > wall(), true) then
    code := case
      when old.reason = draft ->> 'reason' and old.until is not distinct from ends then 'unchanged'
      when old.id <> pause_id then 'taken'
      else 'changed' end;
    pause_id := old.id;
    if code <> 'changed' then
      return;
    end if;
    update pause set reason = draft ->> 'reason', until = ends, set_by = draft #>> '{told,event,actor}' where id = old.id;
  elsif (select count(*) from pause p where p.tenant_id = tenant and coalesce(p.until > wall(), true)) >= most then
    code := 'full';
    return;
  else
    code := 'created';
    delete from pause where id = old.id;
    insert into pause (id, tenant_id, target, name, reason, set_at, set_by, until)
    values (pause_id, tenant, kind, called, draft ->> 'reason', wall(), draft #>> '{told,event,actor}', ends);
  end if;
  perform record_in_ledger(draft -> 'told');
end $$;

revoke execute on function set_pause from public;
grant execute on function set_pause to signalbox_engine;
