-- The row of the event that follows `r` in the chain. All columns in one expression: each statement of plpgsql costs.
create or replace function link_event(r run, draft jsonb, event_key text) returns event
language plpgsql volatile as $$
declare
  e event;
  at_ms bigint := (draft ->> 'at')::bigint;
begin
  e := row(r.id, r.seq + 1, nextval('event_gpos'), pg_current_xact_id(), from_ms(at_ms), r.tenant_id, r.thread_id,
    draft ->> 'type', (draft ->> 'version')::int, draft ->> 'actor', draft ->> 'tool', draft ->> 'verdict', event_key,
    draft -> 'payload', decode(draft ->> 'salt', 'hex'), decode(draft ->> 'payloadHash', 'hex'), null, null)::event;
  if (fits(e.type) and fits(e.actor) and fits(coalesce(e.tool, '-')) and fits(coalesce(e.verdict, '-'))
    and fits(coalesce(e.key, '-')) and octet_length(e.salt) = 16 and octet_length(e.payload_sha256) = 32
    and jsonb_typeof(e.payload) = 'object') is not true
  then
    raise exception 'event_malformed' using errcode = '22023';
  end if;
  e.digest := sha256(convert_to(netstring(e.type) || netstring(e.type_version::text) || netstring(at_ms::text)
    || netstring(e.actor) || netstring(e.tool) || netstring(e.verdict) || netstring(e.key) || netstring(e.thread_id)
    || netstring(encode(e.payload_sha256, 'hex')), 'UTF8'));
  e.hash := sha256(r.head_hash || int8send(e.seq) || e.digest);
  return e;
end $$;

revoke execute on function link_event from public;
