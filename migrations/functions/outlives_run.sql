-- Does the work of this kind go on when its run has ended, or is to end? What comes of it is a note. The kinds are those with the trait
-- `outlives` in packages/core/src/effect.ts; packages/postgres/test/titles.test.ts compares the two.
create or replace function outlives_run(kind text) returns boolean
language sql immutable parallel safe
return outlives_run.kind in ('webhook.deliver', 'title.make', 'memory.learn');

revoke execute on function outlives_run from public;
