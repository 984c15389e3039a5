-- Gives back what pauses held that are over and no other pause refuses, at most so many effects of each; then the pause is
-- removed. What another transaction has right now is left for the next time.
create or replace function release_held(max_rows int) returns void
language plpgsql volatile as $$
declare
  p pause;
begin
  for p in select * from pause where until <= now() order by until limit 100 for update skip locked loop
    with freed as (
      select e.id from effect e join run r on r.id = e.run_id
      where e.tenant_id = p.tenant_id and e.held is not null
        and is_aimed_at(p.target, p.name, r.agent, e.kind, e.tool, e.queue) and not is_paused(e, r.agent)
      limit max_rows for update of e skip locked
    )
    update effect e set held = null,
      due = case when e.status = 'pending' then e.held else e.due end,
      -- A tool call is announced by number, as it was before: `take_waiting`.
      next_look = case when e.status = 'pending' and e.kind = 'tool.call' or e.status not in ('pending', 'started') then 'infinity'
        else now() end
    from freed where e.id = freed.id;
    delete from pause where id = p.id and not exists (
      select from effect e join run r on r.id = e.run_id
      where e.tenant_id = p.tenant_id and e.held is not null
        and is_aimed_at(p.target, p.name, r.agent, e.kind, e.tool, e.queue) and not is_paused(e, r.agent));
  end loop;
end $$;

revoke execute on function release_held from public;
