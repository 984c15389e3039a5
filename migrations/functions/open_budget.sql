-- The budget of a tree, unless it has one.
create or replace function open_budget(root uuid, tenant text, turns int, calls int, tokens bigint, cost bigint) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  if (root is not null and fits(tenant) and is_count(turns) and is_count(calls) and is_count(tokens)
    and is_count(coalesce(cost, 0))) is not true
  then
    raise exception 'budget_malformed' using errcode = '22023';
  end if;
  insert into budget (root_id, tenant_id, turns, calls, tokens, cost)
  values (root, tenant, open_budget.turns, open_budget.calls, open_budget.tokens, open_budget.cost)
  on conflict do nothing;
end $$;

revoke execute on function open_budget from public;
grant execute on function open_budget to signalbox_engine;
