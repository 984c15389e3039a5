-- The roles of the cluster, and the right to act as the owner of the schema.
--
-- signalbox_owner (NOLOGIN) owns everything and is used by nobody. signalbox_app reads its current tenant
-- (`signalbox.tenant`) under forced row-level security; signalbox_engine reads all tenants; signalbox_maintenance makes
-- partitions; signalbox_queue has nothing here: it is BullMQ's, in a schema of its own.

do $roles$
declare
  role record;
begin
  for role in
    select * from (values
      ('signalbox_owner', 'nologin'),
      ('signalbox_app', 'login'),
      ('signalbox_engine', 'login'),
      ('signalbox_queue', 'login'),
      ('signalbox_maintenance', 'login')
    ) as r (name, login)
  loop
    if not exists (select from pg_roles where rolname = role.name) then
      begin
        execute format('create role %I %s', role.name, role.login);
        -- An idle writer would hold back the feed of every database of the cluster.
        execute format('alter role %I set idle_in_transaction_session_timeout = %L', role.name, '10s');
      exception when duplicate_object or unique_violation then
        null; -- Another database of this cluster migrates right now.
      end;
    end if;
  end loop;
  -- Since 16, who creates a role may administer it, but not yet act as it.
  if not pg_has_role(current_user, 'signalbox_owner',
    case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
  then
    execute format('grant signalbox_owner to %I', current_user);
  end if;
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'signalbox needs a database with encoding UTF8, this one has %', current_setting('server_encoding');
  end if;
end
$roles$;
