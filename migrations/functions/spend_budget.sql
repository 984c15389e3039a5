-- Gives the reservation of an effect back, once, and counts what was used.
create or replace function spend_budget(root uuid, effect text, tokens bigint, cost bigint) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  held reservation;
begin
  if (root is not null and is_id(effect) and is_count(tokens) and is_count(cost)) is not true then
    raise exception 'spending_malformed' using errcode = '22023';
  end if;
  perform from budget where root_id = root for update;
  update reservation set open = false where root_id = root and effect_id = effect and open returning * into held;
  if found then
    update budget set
      tokens_spent = tokens_spent + spend_budget.tokens,
      cost_spent = cost_spent + spend_budget.cost,
      tokens_held = tokens_held - held.tokens,
      cost_held = cost_held - held.cost
    where root_id = root;
  end if;
end $$;

revoke execute on function spend_budget from public;
grant execute on function spend_budget to signalbox_engine;
