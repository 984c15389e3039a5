-- Notes that keys are in use, each at most once a minute, however many processes say so.
create or replace function touch_api_keys(key_ids text[]) returns void
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  update api_key k set last_used_at = wall()
  from (
    select id from api_key
    where id = any (key_ids) and (last_used_at is null or last_used_at <= wall() - interval '1 minute')
    order by id for update skip locked
  ) due where k.id = due.id
$$;

revoke execute on function touch_api_keys from public;
grant execute on function touch_api_keys to signalbox_app;
