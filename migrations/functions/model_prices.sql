-- Prices of the models of the definitions that a tenant has used, per million tokens: the agent's own model as 0, then its fallbacks.
create or replace function model_prices(tenant text)
returns table (hash text, n int, provider text, model text, input numeric, cached numeric, output numeric, written numeric)
language plpgsql stable security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
begin
  perform check_tenant(tenant);
  return query select u.hash, m.n::int, m.model ->> 'provider', m.model ->> 'model',
      (m.model #>> '{price,inputPerMTok}')::numeric,
      coalesce(m.model #>> '{price,cachedInputPerMTok}', m.model #>> '{price,inputPerMTok}')::numeric,
      (m.model #>> '{price,outputPerMTok}')::numeric,
      coalesce(m.model #>> '{price,cacheWritePerMTok}', m.model #>> '{price,inputPerMTok}')::numeric
    from definition_use u join definition d on d.hash = u.hash, lateral (
      select 0 as n, d.body -> 'model' as model
      union all
      select f.n, f.model from jsonb_array_elements(d.body -> 'fallbackModels') with ordinality f (model, n)) m
    where u.tenant_id = tenant;
end $$;

revoke execute on function model_prices from public;
grant execute on function model_prices to signalbox_app;
