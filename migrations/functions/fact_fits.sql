-- Is there room for one more fact? A fault needs none to be left: with all others there is still room for it.
create or replace function fact_fits(r run, event_type text) returns boolean
language sql stable
return case event_type
  when 'run.faulted' then r.seq + 1
  when 'input.injected' then r.seq + 1 + kept(open_effects(r))
  else r.seq + 1 + 8 end <= event_limit();

revoke execute on function fact_fits from public;
