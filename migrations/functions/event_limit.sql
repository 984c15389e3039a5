-- Events that one run may have. A function, so that a test may replace it in its own database. Stable, although immutable in
-- truth: what is immutable is computed once for all plans, and would outlive its replacement.
create or replace function event_limit() returns int
language sql stable parallel safe
return 10000;

revoke execute on function event_limit from public;
