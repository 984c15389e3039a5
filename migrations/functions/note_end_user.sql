-- Notes for which end user a run works, with its first event.
create or replace function note_end_user() returns trigger
language plpgsql volatile as $$
begin
  insert into signalbox.end_user_run (tenant_id, end_user, run_id)
  values (new.tenant_id, new.payload ->> 'endUser', new.run_id)
  on conflict do nothing;
  return null;
end $$;

revoke execute on function note_end_user from public;
