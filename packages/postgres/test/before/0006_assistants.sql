-- Assistants: what a tenant makes at run time of the agents that are configured. Versions are written once and never changed;
-- which one runs use is the assistant's. A run pins the definition that came of it, so nothing here is needed to replay one.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

create table assistant (
  tenant_id text not null,
  id uuid not null,
  version int not null,                   -- the one that runs use
  versions int not null,                  -- how many were made
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);

create table assistant_version (
  tenant_id text not null,
  id uuid not null,
  version int not null,
  agent text not null,
  name text not null,
  description text,
  metadata jsonb not null,
  config jsonb not null,
  context jsonb not null,
  actor text not null,                    -- who made it
  created_at timestamptz not null,
  primary key (tenant_id, id, version)
);

-- Writes a version: the first of a new assistant, or the next one of who saw how many there are, and runs use it from now on.
-- Answers `ok`; `exists`: the id is taken; `moved`: there is another version by now, or no assistant any more; `full`: the
-- tenant has 1000 assistants, or the assistant 1000 versions.
create function put_assistant(a jsonb, seen int) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  tenant text := a ->> 'tenantId';
  aid uuid := (a ->> 'assistantId')::uuid;
  moment timestamptz;
begin
  perform check_tenant(tenant);
  if (fits(tenant) and fits(a ->> 'agent') and fits(a ->> 'name') and fits(a ->> 'actor')
    and jsonb_typeof(a -> 'metadata') = 'object' and jsonb_typeof(a -> 'config') = 'object'
    and jsonb_typeof(a -> 'context') = 'object' and pg_column_size(a) <= 4194304) is not true
  then
    raise exception 'assistant_malformed' using errcode = '22023';
  end if;
  if seen is null then
    perform pg_advisory_xact_lock(hashtextextended(netstring(tenant) || 'assistants', 4));
    if exists (select from assistant where tenant_id = tenant and id = aid) then
      return 'exists';
    end if;
    if (select count(*) from assistant where tenant_id = tenant) >= 1000 then
      return 'full';
    end if;
    moment := wall();
    insert into assistant values (tenant, aid, 1, 1, moment, moment);
  else
    if seen >= 1000 then
      return 'full';
    end if;
    update assistant set version = seen + 1, versions = seen + 1, updated_at = wall()
    where tenant_id = tenant and id = aid and versions = seen returning updated_at into moment;
    if not found then
      return 'moved';
    end if;
  end if;
  insert into assistant_version values (tenant, aid, coalesce(seen, 0) + 1, a ->> 'agent', a ->> 'name',
    a ->> 'description', a -> 'metadata', a -> 'config', a -> 'context', a ->> 'actor', moment);
  return 'ok';
end $$;

-- Runs use this version from now on. False: there is no such version.
create function choose_version(tenant text, assistant_id uuid, chosen int) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
begin
  perform check_tenant(tenant);
  update assistant a set version = chosen, updated_at = wall()
  where a.tenant_id = tenant and a.id = assistant_id and chosen between 1 and a.versions;
  return found;
end $$;

create function delete_assistant(tenant text, assistant_id uuid) returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
declare
  was boolean;
begin
  perform check_tenant(tenant);
  delete from assistant where tenant_id = tenant and id = assistant_id;
  was := found;
  delete from assistant_version where tenant_id = tenant and id = assistant_id;
  return was;
end $$;

do $policies$
declare
  name text;
begin
  foreach name in array array['assistant', 'assistant_version'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy owner_all on %I to signalbox_owner using (true) with check (true)', name);
    execute format('create policy app_read on %I for select to signalbox_app'
      || ' using (tenant_id = current_setting(''signalbox.tenant'', true))', name);
    execute format('grant select on %I to signalbox_app', name);
  end loop;
end
$policies$;

revoke execute on function put_assistant, choose_version, delete_assistant from public;
grant execute on function put_assistant, choose_version, delete_assistant to signalbox_app;
