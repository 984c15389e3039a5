-- Makes a thread; of one that is there, nothing changes. With an origin, which has a place and is the tenant's, the thread begins
-- with what was said there.
create or replace function ensure_thread(thread_id text, tenant_id text, metadata jsonb, created_ms bigint, content_key bytea,
  origin_run uuid default null, origin_seq int default null, ttl_minutes float8 default null)
returns setof thread
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  if $8 is not null and is_ttl($8) is not true then
    raise exception 'thread_malformed' using errcode = '22023';
  end if;
  if $6 is not null and not exists (
    select from run r where r.id = $6 and r.tenant_id = $2 and r.place is not null and $7 between 1 and r.seq)
  then
    return;
  end if;
  insert into thread (thread_id, tenant_id, metadata, created_at, content_key, origin_run, origin_seq,
    ttl_minutes, ttl_since, ttl_look_at)
  values ($1, $2, $3, from_ms($4), $5, $6, $7,
    $8, case when $8 is not null then wall() end, wall() + interval '1 minute' * $8) on conflict do nothing;
  return query select * from thread t where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null;
end $$;

revoke execute on function ensure_thread from public;
grant execute on function ensure_thread to signalbox_engine;
