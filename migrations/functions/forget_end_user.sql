-- An erased run is nobody's: it is forgotten with its first event, so that no count has to look at that of each run.
create or replace function forget_end_user() returns trigger
language plpgsql volatile as $$
begin
  delete from signalbox.end_user_run where run_id = new.run_id;
  return null;
end $$;

revoke execute on function forget_end_user from public;
