-- Lays keys and values over the metadata of a thread: ok, no_thread, too_large. That of a memory is nobody's to change.
-- `ttl`: {"minutes": 60}, or with null, which takes it away; without it, what is there stands, and counts anew.
create or replace function change_thread(thread_id text, tenant_id text, metadata jsonb, ttl jsonb default null) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  merged jsonb;
  minutes float8;
begin
  if jsonb_typeof($3) is distinct from 'object' then
    raise exception 'thread_malformed' using errcode = '22023';
  end if;
  select t.metadata || $3, t.ttl_minutes into merged, minutes from thread t
  where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null and t.kind is null for update;
  if not found then
    return 'no_thread';
  end if;
  if octet_length(merged::text) > 65536 then
    return 'too_large';
  end if;
  if $4 is not null then
    minutes := ($4 ->> 'minutes')::float8;
    if minutes is not null and is_ttl(minutes) is not true then
      raise exception 'thread_malformed' using errcode = '22023';
    end if;
  end if;
  update thread t set metadata = merged, ttl_minutes = minutes,
    ttl_since = case when minutes is not null then wall() end, ttl_look_at = wall() + interval '1 minute' * minutes
  where t.thread_id = $1 and t.tenant_id = $2;
  return 'ok';
end $$;

revoke execute on function change_thread from public;
grant execute on function change_thread to signalbox_engine;
