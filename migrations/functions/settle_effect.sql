-- Moves an effect whose outcome is a note: the attempt that holds it ends it, or leaves it to another after a while; and one
-- that was ended is asked for once more. Answers whether the effect was as expected.
create or replace function settle_effect(r run, s jsonb, moment timestamptz) returns boolean
language plpgsql volatile as $$
declare
  due_at timestamptz := moment + interval '1 millisecond' * (s ->> 'delayMs')::bigint;
begin
  update effect set status = s ->> 'becomes', lease_until = null, due = due_at, next_look = due_at
  where id = s ->> 'effectId' and run_id = r.id and outlives_run(kind)
    and status = s ->> 'expect' and attempt = (s ->> 'attempt')::int;
  return found;
end $$;

revoke execute on function settle_effect from public;
