-- The log: events of runs, partitioned by the month of the run.
--
-- Hash chain (I18). `‖` joins bytes. A netstring is `<length in octets>:<utf8>,`; null is `-,`.
--   payload_sha256 = sha256(salt ‖ JCS(payload))                           computed by the writer
--   digest         = sha256(netstrings of: type, type_version, at in ms as decimal, actor, tool, verdict, key, thread_id,
--                    payload_sha256 as hex)                                computed here, from the columns
--   hash_0         = sha256('signalbox.v1' ‖ 00 ‖ tenant_id ‖ 00 ‖ run_id as text)
--   hash_n         = sha256(hash_{n-1} ‖ int8send(seq) ‖ digest)
-- Erasing payload and salt leaves the chain verifiable. gpos and xid are physical positions and stand outside of it.

create sequence event_gpos;

create table event (
  run_id uuid not null,
  seq int not null,
  gpos bigint not null,
  xid xid8 not null,
  at timestamptz not null,
  tenant_id text not null,
  thread_id text not null,
  type text not null,
  type_version int not null,
  actor text not null,
  tool text,
  verdict text,
  key text,
  payload jsonb,                          -- erased together with its salt
  salt bytea,
  payload_sha256 bytea not null,
  digest bytea not null,
  hash bytea not null,
  primary key (run_id, seq)
) partition by range (run_id);

create unique index event_key on event (run_id, key) where key is not null;
create index event_feed on event (xid, gpos);
create index event_at on event using brin (at);

-- Audits page by the position in the feed, so that is what their indexes are ordered by. Those of a thread are found by its
-- runs: every append pays for each index.
create index event_by_tenant on event (tenant_id, xid, gpos);
create index event_by_type on event (tenant_id, type, xid, gpos);
create index event_by_tool on event (tenant_id, tool, xid, gpos) where tool is not null;
create index event_by_actor on event (tenant_id, actor, xid, gpos);
create index event_by_verdict on event (tenant_id, verdict, xid, gpos) where verdict is not null;

do $lz4$
begin
  if 'lz4' = any (
    (select enumvals from pg_settings where name = 'default_toast_compression')::text[]
  ) then
    alter table event alter column payload set compression lz4;
  end if;
end
$lz4$;

create table event_default partition of event default;

-- What became of an item of an append: the answer, and the events to insert.
create type appended as (answer jsonb, events event[]);
