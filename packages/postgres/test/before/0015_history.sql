-- What is refused costs no more than itself, and the end of a long history ends its run.
--
-- H1 A fact is never lost for the sake of what came with it: a decision that breaks a rule is `rejected`, the facts stand.
-- H2 A run holds `event_limit()` events. Some are kept for its end (`kept`), more while more is open. What is refused for it
--    says so: `full` of facts and claims, `history_too_long` of decisions and notes. Whoever is told so ends the run.
-- H3 When a run ends, nothing of it is open but what tells others of it.
-- H4 After the end, notes are refused while there is room to say that the run is deleted; a claim closes its effect then.
-- H5 What runs that ended long ago have left beside their log may be removed: `sweep_ended`, which nobody calls by itself.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- Events that one run may have. A function, so that a test may replace it in its own database. Stable, although immutable in
-- truth: what is immutable is computed once for all plans, and would outlive its replacement.
create function event_limit() returns int
language sql stable parallel safe
return 10000;

-- What is kept of a live run's history while so many of its effects are open: for each its claim, its outcome and two
-- decisions, and what ends a run beside them.
create function kept(open int) returns int
language sql immutable parallel safe
return 100 + 4 * open;

-- Effects that are not settled. In plpgsql, so that it is never inlined: as a query of its own it would cost every append.
create function open_effects(r run) returns int
language plpgsql stable as $$
begin
  return (select count(*) from effect where run_id = r.id and status in ('pending', 'started', 'unknown'));
end $$;

-- Is there room for one more fact? A fault needs none to be left: with all others there is still room for it.
create function fact_fits(r run, event_type text) returns boolean
language sql stable
return case event_type
  when 'run.faulted' then r.seq + 1
  when 'input.injected' then r.seq + 1 + kept(open_effects(r))
  else r.seq + 1 + 8 end <= event_limit();

-- Is there room for a decision? The final one leaves nothing; one that asks for work leaves what settles and ends all of it.
create function decision_fits(r run, d jsonb) returns boolean
language sql stable
return r.seq + jsonb_array_length(d -> 'events') + case
  when d ->> 'status' = 'ended' then 0
  when jsonb_array_length(d -> 'effects') > 0 then kept(open_effects(r) + jsonb_array_length(d -> 'effects'))
  else kept(open_effects(r)) / 2 end <= event_limit();

-- Is there room for the notes of an item? That something is deleted can be said to the last. A webhook that is asked for once
-- more is two events more: the attempt, and what comes of it.
create function notes_fit(r run, item jsonb) returns boolean
language sql stable
return coalesce(jsonb_array_length(item -> 'notes'), 0) = 0
  or r.seq + jsonb_array_length(item -> 'notes') + case when item #>> '{settle,expect}' = 'done' then 2 else 0 end + case
    when item #>> '{notes,0,type}' in ('run.hidden', 'thread.hidden', 'payload.erased')
      then case when r.status = 'ended' then 0 else 8 end
    when r.status = 'ended' then 4
    else kept(open_effects(r)) end <= event_limit();

-- What of a claim that would be granted there is no room for: `full`, or `gone` with its effect where the run has ended; null
-- if there is room, or if it is refused for another reason.
create function crowded_claim(r run, c jsonb, moment timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  e effect;
begin
  if r.seq + (case when r.status = 'ended' then 2 + 4 else 1 + kept(open_effects(r)) end) <= event_limit() then
    return null;
  end if;
  select * into e from effect where id = c ->> 'effectId' and run_id = r.id
    and (not r.cancel_requested and r.status <> 'ended' or kind = 'webhook.deliver') and (
    status = 'pending' and due <= moment
    or status = 'started' and lease_until <= moment and mode <> 'once'
      and has_lapsed(lease_until, lease_ms, moment) and not is_own_claim(effect, c));
  if not found then
    return null;
  end if;
  -- Of a run that has ended nobody can make room: nothing is tried for ever.
  if r.status = 'ended' then
    update effect set status = 'cancelled', lease_until = null where id = e.id;
  end if;
  return jsonb_build_object('effectId', c -> 'effectId', 'attempt', e.attempt,
    'code', case when r.status = 'ended' then 'gone' else 'full' end);
end $$;

-- Can these drafts of events be written? `link_event` asks again when they are: an error there undoes the statement.
create function are_events(drafts jsonb) returns boolean
language plpgsql immutable as $$
declare
  e jsonb;
begin
  for n in 0 .. coalesce(jsonb_array_length(drafts), 0) - 1 loop
    e := drafts -> n;
    if (fits(e ->> 'type') and fits(e ->> 'actor') and fits(coalesce(e ->> 'tool', '-')) and fits(coalesce(e ->> 'verdict', '-'))
      and (not e ? 'key' or fits(e ->> 'key')) and char_length(e ->> 'salt') = 32 and char_length(e ->> 'payloadHash') = 64
      and jsonb_typeof(e -> 'payload') = 'object') is not true
    then
      return false;
    end if;
  end loop;
  return true;
end $$;

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

-- Why a decision is rejected whatever stands in the register, null if nothing is wrong with it.
create function decision_problem(rid uuid, d jsonb) returns text
language plpgsql stable as $$
declare
  c jsonb;
begin
  if (d #>> '{events,0,type}') is distinct from 'run.transitioned' then
    return 'decision_without_run_transitioned';
  end if;
  if octet_length(d ->> 'state') > 2048
    and (d ->> 'status' is distinct from 'ended' or octet_length(d ->> 'state') > 2304) then
    return 'state_too_large';
  end if;
  if (d ->> 'status' in ('queued', 'running', 'waiting', 'ended') and fits(d ->> 'stateName')
    and (d ->> 'status' = 'ended') = (fits(d ->> 'outcome') is true)) is not true
  then
    return 'decision_malformed';
  end if;
  for n in 0 .. coalesce(jsonb_array_length(d -> 'effects'), 0) - 1 loop
    c := d -> 'effects' -> n;
    if (is_id(c ->> 'id') and starts_with(c ->> 'id', rid || '.')
      and c ->> 'kind' in ('model.call', 'tool.call', 'run.start', 'policy.evaluate', 'webhook.deliver',
        'tool.recall')
      and c ->> 'mode' in ('read', 'idempotent', 'once') and fits(c ->> 'queue') and fits(coalesce(c ->> 'tool', '-'))
      and (c ->> 'delayMs') ~ '^[0-9]{1,12}$'
      ) is not true
    then
      return 'effect_malformed';
    end if;
  end loop;
  for n in 0 .. coalesce(jsonb_array_length(d -> 'timers'), 0) - 1 loop
    if (char_length(d -> 'timers' -> n ->> 'id') between 1 and 150
      and (d -> 'timers' -> n ->> 'afterMs') ~ '^[0-9]{1,15}$') is not true then
      return 'timer_malformed';
    end if;
  end loop;
  if not are_events(d -> 'events') then
    return 'event_malformed';
  end if;
  return null;
end $$;

create function is_claim(c jsonb) returns boolean
language sql immutable parallel safe
return (is_id(c ->> 'owner') and char_length(c ->> 'owner') <= 100 and is_id(c ->> 'effectId')
  and (c ->> 'leaseMs') ~ '^[1-9][0-9]{0,8}$' and (c ->> 'at') ~ '^[0-9]{1,15}$' and (c ->> 'salt') ~ '^[0-9a-f]{32}$') is true;

-- As before, but for what is refused, and for what it costs (H1, H2, H4).
create or replace function append_item(item jsonb) returns appended
language plpgsql volatile as $$
declare
  rid uuid := (item ->> 'runId')::uuid;
  d jsonb := item -> 'decision';
  through int := (d ->> 'through')::int;
  r run;
  e event;
  events event[] := '{}';
  moment timestamptz;
  part jsonb;
  problem text := item_problem(item);
  refused text;
  late boolean;
  shut_out boolean := false;
  fact_key text;
  fact_keys text[] := '{}';
  answer text;
  codes text[] := '{}';
  all_ok boolean := true;
  decision_code text;
  claims jsonb := '[]';
  settled boolean;
begin
  if problem is not null then
    return (refusal('rejected', problem, rid), null)::appended;
  end if;
  if item ? 'create' then
    part := create_run(item, rid);
    if part is not null then
      return (part, null)::appended;
    end if;
  end if;
  select * into r from run where id = rid for update;
  if r.id is null or r.tenant_id <> item ->> 'tenantId' then
    return (refusal('no_run', null, rid), null)::appended;
  end if;
  moment := wall();
  -- Before, however much of a run is open, there is room.
  late := r.seq + item_events(item) > event_limit() - 5000;
  -- Nothing else of it would stand; but what ends an attempt does, without its note.
  if late and not (item ? 'facts' or d is not null or coalesce(item #>> '{settle,expect}' = 'started', false))
    and not notes_fit(r, item)
  then
    return (refusal('rejected', 'history_too_long', rid), null)::appended;
  end if;

  if (item ->> 'admit')::boolean and not r.admitted then
    if r.status <> 'ended' and not (r.laned and item ? 'create' and lane_awaited(rid)) then
      r.place := admission_of(r, moment);
    end if;
    r.admitted := r.place is not null;
    shut_out := not r.admitted;
    if r.admitted and r.laned then
      update lane set admitted_at = moment where run_id = rid;
    end if;
  end if;

  for n in 0 .. coalesce(jsonb_array_length(item -> 'facts'), 0) - 1 loop
    part := item -> 'facts' -> n;
    fact_key := part ->> 'key';
    if shut_out and part ->> 'type' = 'run.admitted' then
      answer := 'not_admitted';
    elsif fact_key = any (fact_keys) then
      answer := 'duplicate';
    elsif exists (select from event where run_id = rid and key = fact_key) then
      answer := 'duplicate';
    elsif r.status = 'ended' then
      answer := 'ended';
    elsif part ->> 'type' = 'input.injected' and input_refusal(r, part) is not null then
      answer := input_refusal(r, part);
    elsif late and not fact_fits(r, part ->> 'type') then
      answer := 'full';
    elsif not pass_timer(r, fact_key) then
      answer := 'duplicate';
    elsif part ->> 'fence' is not null and not pass_fence(r, part -> 'fence', moment) then
      answer := 'fenced';
    else
      answer := 'ok';
      e := link_event(r, part, fact_key);
      events := events || e;
      fact_keys := fact_keys || fact_key;
      r.seq := e.seq;
      r.facts := e.seq;
      r.head_hash := e.hash;
      r.cancel_requested := r.cancel_requested or e.type = 'cancel.requested';
      if e.type = 'approval.answered' then
        perform keep_approval(r, e);
      end if;
    end if;
    codes := codes || answer;
    all_ok := all_ok and answer = 'ok';
  end loop;

  if d is not null then
    decision_code := case
      when shut_out then 'not_admitted'
      when r.status = 'ended' or (d ->> 'decided')::int <> r.decided then 'stale'
      when through <= r.decided or through > r.facts then 'stale'
      -- Made together with the facts of this item, it must fold all of them, at the numbers it foresaw.
      when cardinality(codes) > 0 and (not all_ok or through <> r.facts) then 'stale'
      when d ->> 'status' = 'ended' and through <> r.facts then 'moved'
      else 'ok'
    end;
    if decision_code = 'ok' then
      refused := decision_problem(rid, d);
      if refused is null and late and not decision_fits(r, d) then
        refused := 'history_too_long';
      end if;
      if refused is not null then
        decision_code := 'rejected';
        -- A create has written the row as this decision would have left it.
        if r.decided = 0 then
          r.status := 'queued';
        end if;
      end if;
    end if;
    if decision_code = 'ok' then
      for n in 0 .. jsonb_array_length(d -> 'events') - 1 loop
        e := link_event(r, d -> 'events' -> n, null);
        events := events || e;
        r.seq := e.seq;
        r.head_hash := e.hash;
        if e.type in ('approval.requested', 'approval.expired', 'call.denied') then
          perform keep_approval(r, e);
        end if;
      end loop;
      r.decided := through;
      r.status := d ->> 'status';
      r.state_name := d ->> 'stateName';
      r.outcome := d ->> 'outcome';
      r.state := (d ->> 'state')::jsonb;
      r.cancel_requested := r.cancel_requested or r.state_name = 'cancelling';
      perform apply_decision(r, d, moment);
    end if;
  end if;

  if late and not notes_fit(r, item) then
    item := item - 'notes';
    refused := coalesce(refused, 'history_too_long');
  end if;
  if item ? 'settle' then
    settled := settle_effect(r, item -> 'settle', moment);
  end if;
  for n in 0 .. case when settled is false then 0 else coalesce(jsonb_array_length(item -> 'notes'), 0) end - 1 loop
    e := link_event(r, item -> 'notes' -> n, null);
    events := events || e;
    r.seq := e.seq;
    r.head_hash := e.hash;
    r.hidden := r.hidden or e.type = 'run.hidden';
  end loop;

  for n in 0 .. coalesce(jsonb_array_length(item -> 'claims'), 0) - 1 loop
    part := item -> 'claims' -> n;
    -- Claims that come with a decision stand and fall with it.
    if shut_out or decision_code <> 'ok' then
      part := jsonb_build_object('effectId', part -> 'effectId', 'code', 'gone', 'attempt', 0);
    elsif not is_claim(part) then
      part := jsonb_build_object('effectId', part -> 'effectId', 'code', 'rejected', 'attempt', 0);
    else
      part := coalesce(case when late then crowded_claim(r, part, moment) end, claim_effect(r, part, moment));
    end if;
    if part ? 'draft' then
      e := link_event(r, part -> 'draft', null);
      events := events || e;
      r.seq := e.seq;
      r.head_hash := e.hash;
    end if;
    claims := claims || jsonb_build_array(part - 'draft');
  end loop;

  -- At once, not with the events at the end of the batch: the items after this one look at slots and cursors.
  update run set seq = r.seq, facts = r.facts, decided = r.decided, head_hash = r.head_hash, state = r.state,
    status = r.status, state_name = r.state_name, outcome = r.outcome, admitted = r.admitted, place = r.place,
    hidden = r.hidden,
    cancel_requested = r.cancel_requested, ready = r.facts > r.decided and r.status <> 'ended', updated_at = moment
  where id = rid and (head_hash <> r.head_hash or admitted <> r.admitted);

  part := jsonb_build_object('code', 'ok', 'runId', rid, 'admitted', r.admitted, 'seq', r.seq, 'facts', r.facts,
    'decided', r.decided, 'factCodes', to_jsonb(codes), 'decisionCode', decision_code, 'claims', claims);
  if refused is not null then
    part := part || jsonb_build_object('detail', refused);
  end if;
  if settled is not null then
    part := part || jsonb_build_object('settled', settled);
  end if;
  return (part, events)::appended;
end $$;

-- As before, but for H3.
create or replace function apply_decision(r run, d jsonb, moment timestamptz) returns void
language plpgsql volatile as $$
declare
  t jsonb;
  fire timestamptz;
begin
  if jsonb_array_length(d -> 'effects') > 0 then
    insert into effect (id, run_id, tenant_id, kind, queue, mode, tool, due, next_look, spec)
    select e ->> 'id', r.id, r.tenant_id, e ->> 'kind', e ->> 'queue', e ->> 'mode', e ->> 'tool',
      moment + interval '1 millisecond' * (e ->> 'delayMs')::bigint,
      -- Whoever decided announces what may start at once; the reconciler leaves him two seconds for it.
      moment + case when (e ->> 'delayMs')::bigint = 0 then interval '2 seconds'
        else interval '1 millisecond' * (e ->> 'delayMs')::bigint end, e
    from jsonb_array_elements(d -> 'effects') e;
  end if;
  if jsonb_array_length(d -> 'clearTimers') > 0 then
    delete from timer where run_id = r.id and id in (select jsonb_array_elements_text(d -> 'clearTimers'));
  end if;
  for n in 0 .. jsonb_array_length(d -> 'timers') - 1 loop
    t := d -> 'timers' -> n;
    fire := moment + interval '1 millisecond' * (t ->> 'afterMs')::bigint;
    -- A timer that is set again within the millisecond in which it fired must not meet the key of that firing.
    while exists (select from event where run_id = r.id and key = 'timer:' || (t ->> 'id') || ':' || to_ms(fire)) loop
      fire := fire + interval '1 millisecond';
    end loop;
    insert into timer (run_id, id, tenant_id, fire_at) values (r.id, t ->> 'id', r.tenant_id, fire)
    on conflict (run_id, id) do update set fire_at = excluded.fire_at;
  end loop;
  if d ->> 'status' = 'ended' then
    -- What still runs may finish, as a note: nobody waits for it any more. Only what tells others of the run outlives it.
    update effect set next_look = 'infinity', status = 'cancelled', lease_until = null
    where run_id = r.id and status in ('pending', 'started') and kind <> 'webhook.deliver';
    delete from timer where run_id = r.id;
    update approval set waits = false where run_id = r.id and waits;
    if r.laned then
      update lane set over = true where run_id = r.id;
    end if;
  end if;
end $$;

drop function crowded;

-- What was left open before.
update effect e set status = 'cancelled', lease_until = null, next_look = 'infinity'
from run r
where r.id = e.run_id and r.status = 'ended' and e.status in ('pending', 'started') and e.kind <> 'webhook.deliver';

-- Removes rows about runs that ended so long ago, oldest first, at most so many of each table: their effects, approvals, lanes,
-- and aliases. Answers how many. Of what is removed the log still tells; an idempotency key that is gone makes a new run. What
-- must still be delivered stays, and so does all that a replay, a thread or an audit reads.
create function sweep_ended(older_than interval, max_rows int) returns int
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  before timestamptz := now() - older_than;
  -- Runs are named by their time: older ids are looked at alone.
  bound uuid := uuid_bound(before);
  gone int;
  total int := 0;
begin
  if (older_than >= interval '1 day' and max_rows between 1 and 100000) is not true then
    raise exception 'sweep_ended takes at least a day, and 1 to 100000 rows' using errcode = '22023';
  end if;
  delete from effect where id in (
    select e.id from effect e join run r on r.id = e.run_id
    where e.id < bound::text and e.status not in ('pending', 'started') and r.status = 'ended' and r.updated_at < before
    order by e.id limit max_rows for update of e skip locked);
  get diagnostics gone = row_count;
  total := total + gone;
  delete from approval where (run_id, seq) in (
    select a.run_id, a.seq from approval a join run r on r.id = a.run_id
    where a.run_id < bound and r.status = 'ended' and r.updated_at < before
    order by a.run_id limit max_rows for update of a skip locked);
  get diagnostics gone = row_count;
  total := total + gone;
  delete from lane where (run_id, key) in (
    select l.run_id, l.key from lane l join run r on r.id = l.run_id
    where l.run_id < bound and l.over and r.status = 'ended' and r.updated_at < before
      and coalesce(l.admitted_at + interval '1 millisecond' * l.per_ms < now(), true)
    order by l.run_id limit max_rows for update of l skip locked);
  get diagnostics gone = row_count;
  total := total + gone;
  delete from alias where (tenant_id, key) in (
    select a.tenant_id, a.key from alias a join run r on r.id = a.run_id
    where a.run_id < bound and r.status = 'ended' and r.updated_at < before
    limit max_rows for update of a skip locked);
  get diagnostics gone = row_count;
  return total + gone;
end $$;

-- Aliases are written in the order of their runs: what is old is found, and no create pays for it.
create index alias_by_run on alias using brin (run_id);

revoke execute on function sweep_ended from public;
grant execute on function sweep_ended to signalbox_maintenance;
revoke execute on function event_limit, kept, open_effects, fact_fits, decision_fits, notes_fit, crowded_claim,
  decision_problem, is_claim, are_events from public;
