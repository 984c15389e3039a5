-- Leases do not run while the register was away: nobody could renew them. And a claim whose answer was lost is known again.
--
-- O1 Renewals are the proof that the register can be reached, whoever sends them, and each process sends one every few seconds, with
--    or without leases. A pause of half a lease between two of them was an outage: of the server, of the way to it, or of all who use it.
-- O2 A lease is over when its time has passed, and renewals have come without such a pause for as long as it was made for. Whoever
--    lived through an outage has that long to come back. One who alone is cut off is not waited for.
-- O3 One who gives a lease back (it is renewed for 0 ms) is not waited for either.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- One row, or none before the first renewal: then leases just run.
create table heartbeat (
  only_one boolean primary key default true check (only_one),
  at timestamptz not null,
  up_since timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
alter table heartbeat enable row level security;
alter table heartbeat force row level security;
create policy owner_all on heartbeat to signalbox_owner using (true) with check (true);

-- How long the lease was made for. Null before this migration: then only its time counts.
alter table effect add column lease_ms bigint;

-- Is the lease of a started effect over?
create function has_lapsed(lease_until timestamptz, lease_ms bigint, moment timestamptz) returns boolean
language sql stable
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select lease_until <= moment and (coalesce(lease_ms, 0) = 0 or not exists (
    select from heartbeat h
    where moment < h.up_since + interval '1 millisecond' * lease_ms
      or moment > h.at + interval '1 millisecond' * (lease_ms / 2)))
$$;

-- Is a claim the very one that holds the effect, sent once more because nobody heard the answer?
create function is_own_claim(e effect, c jsonb) returns boolean
language sql stable
set search_path = pg_catalog, signalbox, pg_temp
as $$
  select e.status = 'started' and e.owner = c ->> 'owner' and exists (
    select from event v
    where v.run_id = e.run_id and v.type = 'effect.started' and v.salt = decode(c ->> 'salt', 'hex')
      and v.payload ->> 'effectId' = e.id and (v.payload ->> 'attempt')::int = e.attempt)
$$;

-- As before, but for O2.
create or replace function pass_fence(r run, fence jsonb, moment timestamptz) returns boolean
language plpgsql volatile as $$
declare
  becomes text := fence ->> 'becomes';
begin
  update effect set
    status = becomes,
    lease_until = null,
    due = case when becomes = 'pending' then moment else due end,
    -- What goes on without a lease is ended by a fact, and is nobody's to look after.
    next_look = case becomes when 'pending' then moment when 'started' then 'infinity' else next_look end
  where id = fence ->> 'effectId' and run_id = r.id and case fence ->> 'expect'
    when 'started' then status = 'started' and attempt = (fence ->> 'attempt')::int
    when 'lost' then status = 'started' and attempt = (fence ->> 'attempt')::int
      and has_lapsed(lease_until, lease_ms, moment)
    when 'pending' then status = 'pending'
    when 'unknown' then status = 'unknown'
    else false
  end;
  return found;
end $$;

-- As before, but for O2, and for a claim that is sent again: it is granted again, whatever came of the run or the lease since.
create or replace function claim_effect(r run, c jsonb, moment timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  e effect;
  answer text;
  body text;
begin
  -- Nearly every claim is granted, of an effect that waits: first the grant, and only then the question why not. Others are told
  -- of a run also when it has ended, or is to end.
  update effect set status = 'started', attempt = attempt + 1, owner = c ->> 'owner',
    lease_ms = (c ->> 'leaseMs')::bigint,
    lease_until = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint,
    next_look = moment + interval '1 millisecond' * (c ->> 'leaseMs')::bigint
  where id = c ->> 'effectId' and run_id = r.id
    and (not r.cancel_requested and r.status <> 'ended' or kind = 'webhook.deliver') and (
    status = 'pending' and due <= moment
    or status = 'started' and lease_until <= moment and mode <> 'once'
      and has_lapsed(lease_until, lease_ms, moment) and not is_own_claim(effect, c))
  returning * into e;
  if not found then
    select * into e from effect where id = c ->> 'effectId' and run_id = r.id;
    answer := case
      when e.id is null then 'gone'
      when is_own_claim(e, c) then 'ok'
      when (r.cancel_requested or r.status = 'ended') and e.kind <> 'webhook.deliver' then 'cancelled'
      when e.status not in ('pending', 'started') then 'gone'
      when e.status = 'pending' then 'early'
      when e.mode = 'once' and has_lapsed(e.lease_until, e.lease_ms, moment) then 'lost'
      else 'leased'
    end;
    return jsonb_build_object('effectId', c -> 'effectId', 'code', answer, 'attempt', coalesce(e.attempt, 0));
  end if;
  -- Canonical by construction: keys in order, and the charset of both texts needs no escape.
  body := '{"attempt":' || e.attempt || ',"effectId":"' || e.id || '","leaseMs":' || (c ->> 'leaseMs')
    || ',"owner":"' || (c ->> 'owner') || '"}';
  return jsonb_build_object('effectId', e.id, 'code', 'ok', 'attempt', e.attempt, 'draft', jsonb_build_object(
    'type', 'effect.started', 'version', 1, 'at', c -> 'at', 'actor', c -> 'owner',
    'tool', case when e.kind <> 'tool.recall' then e.tool end, 'verdict', null,
    'payload', body::jsonb, 'salt', c -> 'salt',
    'payloadHash', encode(sha256(decode(c ->> 'salt', 'hex') || convert_to(body, 'UTF8')), 'hex')));
end $$;

-- Extends leases, lapsed ones too, and notes that somebody was here (O1). An effect that is locked right now is left as it is, and
-- not answered. Who is told of a run is told also when it is to end.
create or replace function renew(leases jsonb, lease_ms bigint)
returns table (effect_id text, kept boolean, cancel boolean)
language sql volatile security definer
set search_path = pg_catalog, signalbox, pg_temp
as $$
  -- Written now and then only, whoever else renews: it is one row for all.
  insert into heartbeat as h (at, up_since)
  select now(), now()
  where lease_ms > 0 and not exists (
    select from heartbeat b where b.at between now() - interval '1 millisecond' * (lease_ms / 10) and now())
  on conflict (only_one) do update set
    -- A clock that was set is an outage, too: leases are counted by it.
    up_since = case when excluded.at between h.up_since and h.at + interval '1 millisecond' * (lease_ms / 2)
      then h.up_since else excluded.at end,
    at = excluded.at;

  with asked as (
    select l.value ->> 'effectId' as id, (l.value ->> 'attempt')::int as attempt, l.ordinality as n
    from jsonb_array_elements(leases) with ordinality l
  ), free as (
    select e.* from effect e join asked a on a.id = e.id
    for update of e skip locked
  ), extended as (
    update effect e set
      lease_ms = renew.lease_ms,
      lease_until = now() + interval '1 millisecond' * renew.lease_ms,
      next_look = case when r.status = 'ended' and e.kind <> 'webhook.deliver' then 'infinity'
        else now() + interval '1 millisecond' * renew.lease_ms end
    from free f join asked a on a.id = f.id and a.attempt = f.attempt join run r on r.id = f.run_id
    where e.id = f.id and f.status = 'started' and f.lease_until is not null
    returning e.id
  )
  select a.id, x.id is not null,
    coalesce((r.cancel_requested or r.status = 'ended') and f.kind <> 'webhook.deliver', false)
  from asked a
    left join free f on f.id = a.id
    left join extended x on x.id = a.id
    left join run r on r.id = f.run_id
  where f.id is not null or not exists (select from effect e where e.id = a.id)
  order by a.n
$$;

revoke execute on function has_lapsed, is_own_claim from public;
