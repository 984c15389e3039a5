-- Takes from the budget of a tree while what is spent and what others hold is below the limit: that one check under the lock
-- is what keeps twenty at once from exceeding it by more than one reservation. Refused: which budget, what is used of it.
create or replace function reserve_budget(root uuid, run uuid, effect text, turns int, calls int, tokens bigint, cost bigint,
  out code text, out budget text, out used bigint, out "limit" bigint)
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  b signalbox.budget;
  own reservation;
  before boolean;
begin
  if (root is not null and run is not null and is_id(effect) and turns in (0, 1) and calls in (0, 1)
    and is_count(tokens) and is_count(cost)) is not true
  then
    raise exception 'reservation_malformed' using errcode = '22023';
  end if;
  code := 'ok';
  select * into b from signalbox.budget where root_id = root for update;
  if not found then
    -- The run at the top opens the budget with the first run it starts. Any other run comes after its end.
    if run <> root then
      code := 'refused';
      budget := 'tokens';
      used := 0;
      "limit" := 0;
    end if;
    return;
  end if;
  select * into own from reservation where root_id = root and effect_id = effect;
  -- A repetition is counted already, and takes the place of what it held.
  before := found;
  if own.open then
    b.tokens_held := b.tokens_held - own.tokens;
    b.cost_held := b.cost_held - own.cost;
  end if;
  if not before and turns > 0 and b.turns_spent >= b.turns then
    budget := 'turns';
    used := b.turns_spent;
    "limit" := b.turns;
  elsif not before and calls > 0 and b.calls_spent >= b.calls then
    budget := 'calls';
    used := b.calls_spent;
    "limit" := b.calls;
  elsif tokens > 0 and b.tokens_spent + b.tokens_held >= b.tokens then
    budget := 'tokens';
    used := b.tokens_spent + b.tokens_held;
    "limit" := b.tokens;
  elsif cost > 0 and b.cost_spent + b.cost_held >= b.cost then
    budget := 'money';
    used := b.cost_spent + b.cost_held;
    "limit" := b.cost;
  end if;
  if budget is not null then
    code := 'refused';
    return;
  end if;
  insert into reservation as r (root_id, effect_id, tenant_id, tokens, cost)
  values (root, effect, b.tenant_id, reserve_budget.tokens, reserve_budget.cost)
  on conflict (root_id, effect_id) do update set tokens = excluded.tokens, cost = excluded.cost, open = true;
  update signalbox.budget set
    turns_spent = b.turns_spent + case when before then 0 else reserve_budget.turns end,
    calls_spent = b.calls_spent + case when before then 0 else reserve_budget.calls end,
    tokens_held = b.tokens_held + reserve_budget.tokens,
    cost_held = b.cost_held + reserve_budget.cost
  where root_id = root;
end $$;

revoke execute on function reserve_budget from public;
grant execute on function reserve_budget to signalbox_engine;
