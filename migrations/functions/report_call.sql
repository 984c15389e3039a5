-- What became of a call. Any answer closes the circuit; of the failures of an open one only a probe's opens it anew.
create or replace function report_call(model text, outcome text, threshold int) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
#variable_conflict use_column
begin
  if (fits(report_call.model) and outcome in ('ok', 'failed') and threshold >= 1) is not true then
    raise exception 'breaker_malformed' using errcode = '22023';
  end if;
  if outcome = 'ok' then
    delete from breaker where model = report_call.model;
    return;
  end if;
  insert into breaker as b (model, failures, opened_at)
  values (report_call.model, 1, case when threshold = 1 then wall() end)
  on conflict (model) do update set
    failures = b.failures + 1,
    opened_at = case
      when b.opened_at is null then case when b.failures + 1 >= threshold then wall() end
      when b.probe_at is null then b.opened_at
      else wall()
    end,
    probe_at = null;
end $$;

revoke execute on function report_call from public;
grant execute on function report_call to signalbox_engine;
