-- The one write path: 1 to 64 items, each about another run, sorted by run id; an answer per item, in order.
-- Any error undoes all items: the caller repeats them one by one. Classes 22 and 23 are the item's own fault.
create or replace function append(items jsonb) returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  last uuid;
  rid uuid;
  item jsonb;
  aliases bigint[];
  queues bigint[];
  parents uuid[];
  own uuid[];
  done appended;
  answers jsonb[] := '{}';
  new_events event[] := '{}';
begin
  if jsonb_typeof(items) <> 'array' or jsonb_array_length(items) not between 1 and 64 then
    raise exception 'append takes 1 to 64 items' using errcode = '22023';
  end if;
  for n in 0 .. jsonb_array_length(items) - 1 loop
    item := items -> n;
    rid := (item ->> 'runId')::uuid;
    -- Unsorted batches deadlock: each would hold what the other waits for.
    if rid is null or rid <= last then
      raise exception 'items must be sorted by run id, one per run' using errcode = '22023';
    end if;
    last := rid;
    perform check_tenant(item ->> 'tenantId');
    if item ? 'create' then
      if item #>> '{create,alias,key}' is not null then
        aliases := aliases
          || hashtextextended(netstring(item ->> 'tenantId') || netstring(item #>> '{create,alias,key}'), 2);
      end if;
      if item #>> '{create,multitask}' in ('reject', 'interrupt', 'rollback') then
        queues := queues || thread_lock(item ->> 'tenantId', item #>> '{create,threadId}');
      end if;
      if item #>> '{create,parent,runId}' is not null then
        parents := parents || (item #>> '{create,parent,runId}')::uuid;
      end if;
      if item -> 'create' ? 'lanes' then
        queues := queues || array(
          select lane_lock(item ->> 'tenantId', l ->> 'key') from jsonb_array_elements(item #> '{create,lanes}') l);
      end if;
    elsif (item ->> 'admit')::boolean then
      queues := queues || array(select lane_lock(tenant_id, key) from lane where run_id = rid);
    end if;
  end loop;
  if aliases is not null then
    perform pg_advisory_xact_lock(h) from (select distinct unnest(aliases) h order by 1) ordered;
  end if;
  if queues is not null then
    perform pg_advisory_xact_lock(h) from (select distinct unnest(queues) h order by 1) ordered;
  end if;
  -- A parent may have the greater id: the clocks of those who mint them differ. So all are locked before any is used.
  if parents is not null then
    for n in 0 .. jsonb_array_length(items) - 1 loop
      own := own || (items -> n ->> 'runId')::uuid;
    end loop;
    perform from run where id = any (parents || own) order by id for update;
  end if;
  for n in 0 .. jsonb_array_length(items) - 1 loop
    done := append_item(items -> n);
    answers := answers || done.answer;
    new_events := new_events || done.events;
  end loop;
  if cardinality(new_events) > 0 then
    insert into event select * from unnest(new_events);
  end if;
  return to_jsonb(answers);
end $$;

revoke execute on function append from public;
grant execute on function append to signalbox_app, signalbox_engine;
