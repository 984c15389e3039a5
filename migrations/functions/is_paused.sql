-- Does a pause refuse this effect of an agent's run? In plpgsql, so that it reads what is committed when it is asked.
create or replace function is_paused(e effect, agent text) returns boolean
language plpgsql volatile as $$
begin
  return exists (
    select from pause p
    where p.tenant_id = e.tenant_id and coalesce(p.until > wall(), true)
      and is_aimed_at(p.target, p.name, agent, e.kind, e.tool, e.queue));
end $$;

revoke execute on function is_paused from public;
