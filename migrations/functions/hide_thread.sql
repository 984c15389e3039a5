-- Hides a thread whose runs have ended, or were asked to: ok, no_thread, busy. No run is created on it from then on; one whose
-- create was under way in this moment is hidden with it.
-- Its crons go with it: there is nothing any more that they could run on. `expired`: only if it still is, with no run but those up
-- to `last_run`, all of which have ended.
create or replace function hide_thread(thread_id text, tenant_id text, expired boolean default false, last_run uuid default null)
returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform from thread t where t.thread_id = $1 and t.tenant_id = $2 and t.hidden_at is null for update;
  if not found then
    return 'no_thread';
  end if;
  if exists (select from run r
    where r.tenant_id = $2 and r.thread_id = $1 and r.status <> 'ended' and not r.cancel_requested) then
    return 'busy';
  end if;
  if $3 and (
    not exists (select from thread t
      where t.thread_id = $1 and t.ttl_since + interval '1 minute' * t.ttl_minutes <= now())
    or exists (select from run r
      where r.tenant_id = $2 and r.thread_id = $1 and (r.status <> 'ended' or $4 is null or r.id > $4)))
  then
    return 'busy';
  end if;
  update thread t set hidden_at = wall(), ttl_look_at = null where t.thread_id = $1 and t.tenant_id = $2;
  delete from cron c where c.tenant_id = $2 and c.thread_id = $1;
  return 'ok';
end $$;

revoke execute on function hide_thread from public;
grant execute on function hide_thread to signalbox_engine;
