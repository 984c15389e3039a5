-- Reruns: effects of the kind `tool.recall`, which look a result up in the log of another run and execute nothing.
--
-- R1 Its `effect.started` names no tool: what lists the executions of a tool does not list it.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- As before, and takes effects of the kind `tool.recall`.
create or replace function item_problem(item jsonb) returns text
language plpgsql stable as $$
declare
  c jsonb := item -> 'create';
  d jsonb := item -> 'decision';
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
  if d is not null then
    if (d #>> '{events,0,type}') is distinct from 'run.transitioned' then
      return 'decision_without_run_transitioned';
    end if;
    if octet_length(d ->> 'state') > 2048 then
      return 'state_too_large';
    end if;
    if (d ->> 'status' in ('queued', 'running', 'waiting', 'ended') and fits(d ->> 'stateName')
      and (d ->> 'status' = 'ended') = (fits(d ->> 'outcome') is true)) is not true
    then
      return 'decision_malformed';
    end if;
    for n in 0 .. coalesce(jsonb_array_length(d -> 'effects'), 0) - 1 loop
      c := d -> 'effects' -> n;
      if (is_id(c ->> 'id') and starts_with(c ->> 'id', (item ->> 'runId') || '.')
        and c ->> 'kind' in ('model.call', 'tool.call', 'run.start', 'policy.evaluate', 'webhook.deliver',
          'tool.recall')
        and c ->> 'mode' in ('read', 'idempotent', 'once') and fits(c ->> 'queue') and fits(coalesce(c ->> 'tool', '-'))
        ) is not true
      then
        return 'effect_malformed';
      end if;
    end loop;
    for n in 0 .. coalesce(jsonb_array_length(d -> 'timers'), 0) - 1 loop
      if (char_length(d -> 'timers' -> n ->> 'id') between 1 and 150) is not true then
        return 'timer_malformed';
      end if;
    end loop;
  end if;
  if item ? 'settle' then
    c := item -> 'settle';
    if (is_id(c ->> 'effectId') and (c ->> 'attempt') ~ '^[0-9]{1,9}$' and (c ->> 'delayMs') ~ '^[0-9]{1,10}$'
      and c ->> 'expect' in ('started', 'done') and c ->> 'becomes' in ('done', 'pending')) is not true
    then
      return 'settle_malformed';
    end if;
  end if;
  for n in 0 .. coalesce(jsonb_array_length(item -> 'claims'), 0) - 1 loop
    c := item -> 'claims' -> n;
    if (is_id(c ->> 'owner') and char_length(c ->> 'owner') <= 100 and is_id(c ->> 'effectId')
      and (c ->> 'leaseMs') ~ '^[1-9][0-9]{0,8}$') is not true
    then
      return 'claim_malformed';
    end if;
  end loop;
  return null;
end $$;

-- As before, but for R1.
create or replace function claim_effect(r run, c jsonb, moment timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  e effect;
  answer text;
  body text;
begin
  -- Nearly every claim is granted: first the grant, and only then the question why not. Others are told of a run also
  -- when it has ended, or is to end.
  update effect set status = 'started', attempt = attempt + 1, owner = c ->> 'owner',
    lease_until = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint,
    next_look = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint
  where id = c ->> 'effectId' and run_id = r.id
    and (not r.cancel_requested and r.status <> 'ended' or kind = 'webhook.deliver') and (
    status = 'pending' and due <= moment or status = 'started' and lease_until <= moment and mode <> 'once')
  returning * into e;
  if not found then
    select * into e from effect where id = c ->> 'effectId' and run_id = r.id;
    answer := case
      when e.id is null then 'gone'
      when (r.cancel_requested or r.status = 'ended') and e.kind <> 'webhook.deliver' then 'cancelled'
      when e.status not in ('pending', 'started') then 'gone'
      when e.status = 'pending' then 'early'
      when e.lease_until <= moment and e.mode = 'once' then 'lost'
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
