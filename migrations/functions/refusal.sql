-- The answer for an item of which nothing was written. Names the run that the alias belongs to, if any.
create or replace function refusal(answer text, problem text, run_id uuid) returns jsonb
language sql stable as $$
  select jsonb_strip_nulls(jsonb_build_object('code', answer, 'detail', problem)) || jsonb_build_object(
    'runId', refusal.run_id, 'admitted', coalesce(r.admitted, false), 'seq', coalesce(r.seq, 0),
    'facts', coalesce(r.facts, 0), 'decided', coalesce(r.decided, 0),
    'factCodes', '[]'::jsonb, 'decisionCode', null, 'claims', '[]'::jsonb)
  from (values (1)) one left join run r on r.id = refusal.run_id and answer in ('exists', 'conflict')
$$;

revoke execute on function refusal from public;
