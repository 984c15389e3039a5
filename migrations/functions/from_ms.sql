-- Stable, although immutable in truth: what it is made of is declared stable, and only so Postgres inlines it.
create or replace function from_ms(ms bigint) returns timestamptz
language sql stable parallel safe
return timestamptz '1970-01-01 00:00:00+00' + interval '1 millisecond' * ms;

revoke execute on function from_ms from public;
grant execute on function from_ms to signalbox_app, signalbox_engine;
