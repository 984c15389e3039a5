-- Claims one effect if it may be claimed. Answers the code, the attempt, and when ok the draft of `effect.started`.
-- A claim that is sent again is granted again, whatever came of the run or the lease since. A lease is over as O2 of
-- tables/heartbeat.sql says; a paused target is refused as P1 and P2 of tables/pause.sql say.
--
-- R1 The `effect.started` of a recall names no tool: what lists the executions of a tool does not list it.
create or replace function claim_effect(r run, c jsonb, moment timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  e effect;
  answer text;
  body text;
begin
  -- Nearly every claim is granted, of an effect that waits: first the grant, and only then the question why not. Others are told
  -- of a run also when it has ended, or is to end.
  update effect set status = 'started', attempt = attempt + 1, owner = c ->> 'owner',
    lease_ms = (c ->> 'leaseMs')::bigint,
    lease_until = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint,
    next_look = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint
  where id = c ->> 'effectId' and run_id = r.id
    and (not r.cancel_requested and r.status <> 'ended' or outlives_run(kind))
    -- Where the tenant has no pause, that costs one look at an index.
    and (not exists (select from pause p where p.tenant_id = r.tenant_id) or not is_paused(effect, r.agent))
    and (
    status = 'pending' and due <= moment
    or status = 'started' and lease_until <= moment and mode <> 'once'
      and has_lapsed(lease_until, lease_ms, moment) and not is_own_claim(effect, c))
  returning * into e;
  if not found then
    select * into e from effect where id = c ->> 'effectId' and run_id = r.id;
    answer := case
      when e.id is null then 'gone'
      when is_own_claim(e, c) then 'ok'
      when (r.cancel_requested or r.status = 'ended') and not outlives_run(e.kind) then 'cancelled'
      when e.status not in ('pending', 'started') then 'gone'
      when e.status = 'pending' and e.due > moment and e.held is null then 'early'
      when e.status = 'started' and has_lapsed(e.lease_until, e.lease_ms, moment) is not true then 'leased'
      when e.status = 'started' and e.mode = 'once' then 'lost'
      when hold_effect(e, r.agent) then 'paused'
      when e.status = 'pending' then 'early'
      else 'leased'
    end;
    return jsonb_build_object('effectId', c -> 'effectId', 'code', answer, 'attempt', coalesce(e.attempt, 0));
  end if;
  -- Canonical by construction: keys in order, and the charset of both texts needs no escape.
  body := '{"attempt":' || e.attempt || ',"effectId":"' || e.id || '","leaseMs":' || (c ->> 'leaseMs')
    || ',"owner":"' || (c ->> 'owner') || '"}';
  return jsonb_build_object('effectId', e.id, 'code', 'ok', 'attempt', e.attempt, 'draft', jsonb_build_object(
    'type', 'effect.started', 'version', 1, 'at', c -> 'at', 'actor', c -> 'owner',
    'tool', case when e.kind <> 'tool.recall' then e.tool end, 'verdict', null,
    'payload', body::jsonb, 'salt', c -> 'salt',
    'payloadHash', encode(sha256(decode(c ->> 'salt', 'hex') || convert_to(body, 'UTF8')), 'hex')));
end $$;

revoke execute on function claim_effect from public;
