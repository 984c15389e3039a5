-- Who may read what. Nobody has INSERT, UPDATE or DELETE on any table: every write passes a SECURITY DEFINER function (I19).

do $policies$
declare
  t record;
begin
  for t in
    select * from (values
      -- The engine reads all tenants, the application its own.
      ('thread', true, true), ('blob', true, true), ('run', true, true), ('lane', true, true), ('alias', true, true),
      ('event', true, true), ('effect', true, true), ('timer', true, true), ('approval', true, true),
      ('approval_grant', true, true), ('budget', true, true), ('reservation', true, true), ('end_user_run', true, true),
      ('store_item', true, true), ('store_usage', true, true), ('cron', true, true), ('pause', true, true),
      ('definition_use', true, true), ('question', true, true),
      -- The engine alone.
      ('definition', true, false), ('breaker', true, false), ('feed_stretch', true, false),
      -- The application alone.
      ('api_key', false, true), ('assistant', false, true), ('assistant_version', false, true),
      -- Functions of the owner.
      ('heartbeat', false, false), ('digest_key', false, false), ('write_probe', false, false),
      ('upload', false, false), ('upload_part', false, false)
    ) as r (name, engine_reads, app_reads)
  loop
    execute format('alter table %I enable row level security', t.name);
    execute format('alter table %I force row level security', t.name);
    -- The definer functions run as the owner, which FORCE binds as well.
    execute format('create policy owner_all on %I to signalbox_owner using (true) with check (true)', t.name);
    if t.engine_reads then
      execute format('create policy engine_read on %I for select to signalbox_engine using (true)', t.name);
      execute format('grant select on %I to signalbox_engine', t.name);
    end if;
    if t.app_reads then
      execute format('create policy app_read on %I for select to signalbox_app'
        || ' using (tenant_id = current_setting(''signalbox.tenant'', true))', t.name);
    end if;
    if t.app_reads and t.name not in ('thread', 'api_key') then
      execute format('grant select on %I to signalbox_app', t.name);
    end if;
  end loop;
end
$policies$;

-- It is no tenant's: it names nothing.
create policy app_read on feed_stretch for select to signalbox_app using (true);
grant select on feed_stretch to signalbox_app;

-- Not the key of the content.
grant select (thread_id, tenant_id, metadata, created_at, origin_run, origin_seq, hidden_at, ttl_minutes, ttl_since,
  title, title_by, title_run, kind, memory) on thread to signalbox_app;
-- Not the digest.
grant select (id, tenant_id, name, scopes, created_at, created_by, expires_at, revoked_at, revoked_by, last_used_at)
  on api_key to signalbox_app;

grant usage on schema signalbox to signalbox_app, signalbox_engine, signalbox_maintenance;
grant select on migration to signalbox_app, signalbox_engine, signalbox_maintenance;
