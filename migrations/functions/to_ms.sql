-- Stable, although immutable in truth: what it is made of is declared stable, and only so Postgres inlines it.
create or replace function to_ms(t timestamptz) returns bigint
language sql stable parallel safe
return (extract(epoch from t) * 1000)::bigint;

revoke execute on function to_ms from public;
grant execute on function to_ms to signalbox_app, signalbox_engine;
