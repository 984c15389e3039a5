-- Is a claim the very one that holds the effect, sent once more because nobody heard the answer?
create or replace function is_own_claim(e effect, c jsonb) returns boolean
language sql stable
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select e.status = 'started' and e.owner = c ->> 'owner' and exists (
    select from event v
    where v.run_id = e.run_id and v.type = 'effect.started' and v.salt = decode(c ->> 'salt', 'hex')
      and v.payload ->> 'effectId' = e.id and (v.payload ->> 'attempt')::int = e.attempt)
$$;

revoke execute on function is_own_claim from public;
