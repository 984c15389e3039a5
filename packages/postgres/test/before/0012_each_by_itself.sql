-- Loops over what belongs to many: one that cannot be done is told, and takes no other with it.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- As before, each tree by itself; answers those that could not be settled.
drop function settle_budgets();
create function settle_budgets() returns table (root uuid, problem text)
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

-- As before, each tenant by itself.
create or replace function sweep_store() returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  owner record;
begin
  for owner in
    select u.tenant_id from store_usage u
    where u.tenant_id in (select tenant_id from store_item where expires_at <= now() order by expires_at limit 10000)
    order by u.tenant_id limit 100
    for update of u skip locked
  loop
    begin
      perform sweep_tenant(owner.tenant_id);
    exception when others then
      raise warning 'the store of tenant % could not be swept: %', owner.tenant_id, sqlerrm;
    end;
  end loop;
end $$;

revoke execute on function settle_budgets from public;
grant execute on function settle_budgets to signalbox_engine;
