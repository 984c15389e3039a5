-- One item: run, facts, decision, notes, claims, in this order, under the lock of the run. Loops count, instead of asking
-- a query for elements, and conditions on tables stand alone: what plpgsql can compute without the executor costs a tenth.
--
-- H1 A fact is never lost for the sake of what came with it: a decision that breaks a rule is `rejected`, the facts stand.
-- H2 A run holds `event_limit()` events. Some are kept for its end (`kept`), more while more is open. What is refused for it
--    says so: `full` of facts and claims, `history_too_long` of decisions and notes. Whoever is told so ends the run.
-- H4 After the end, notes are refused while there is room to say that the run is deleted; a claim closes its effect then.
--
-- A decision that ends a run while a claim of it stands is `held`, which closes the run for claims, as `cancel.requested` does.
-- One that was made from a state that was repaired since is stale; older builds say nothing of `seq`, and theirs stand.
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
      -- It was made from a state that was repaired since.
      when (d ->> 'seq')::int < r.repaired then 'stale'
      when through <= r.decided or through > r.facts then 'stale'
      -- Made together with the facts of this item, it must fold all of them, at the numbers it foresaw.
      when cardinality(codes) > 0 and (not all_ok or through <> r.facts) then 'stale'
      when d ->> 'status' = 'ended' and through <> r.facts then 'moved'
      when d ->> 'status' = 'ended' and claim_stands(rid, moment) then 'held'
      else 'ok'
    end;
    r.cancel_requested := r.cancel_requested or decision_code = 'held';
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
  where id = rid
    and (head_hash <> r.head_hash or admitted <> r.admitted or cancel_requested <> r.cancel_requested);

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

revoke execute on function append_item from public;
