-- Gives back what effects that are over still hold, and forgets the budgets of trees whose run at the top has ended. A budget that
-- somebody holds right now is left for the next time. Each tree by itself; answers those that could not be settled.
create or replace function settle_budgets() returns table (root uuid, problem text)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tree record;
begin
  for tree in
    select b.root_id, exists (select from run r where r.id = b.root_id and r.status = 'ended') as over
    from budget b
    where exists (select from run r where r.id = b.root_id and r.status = 'ended')
      or exists (select from reservation h where h.root_id = b.root_id and h.open
        and not exists (select from effect e where e.id = h.effect_id and e.status in ('pending', 'started')))
    for update of b skip locked
  loop
    begin
      if tree.over then
        delete from reservation where root_id = tree.root_id;
        delete from budget where root_id = tree.root_id;
        continue;
      end if;
      with given as (
        update reservation h set open = false
        where h.root_id = tree.root_id and h.open
          and not exists (select from effect e where e.id = h.effect_id and e.status in ('pending', 'started'))
        returning h.tokens, h.cost
      )
      update budget set tokens_held = tokens_held - g.tokens, cost_held = cost_held - g.cost
      from (select coalesce(sum(tokens), 0) as tokens, coalesce(sum(cost), 0) as cost from given) g
      where root_id = tree.root_id;
    exception when others then
      root := tree.root_id;
      problem := sqlerrm;
      return next;
    end;
  end loop;
end $$;

revoke execute on function settle_budgets from public;
grant execute on function settle_budgets to signalbox_engine;
