-- Threads. Clients choose their ids: that a tenant has one must neither show nor be in the way of another (I19).
--
-- T1 Nothing of a time to live is written when a run is: when a thread expires follows from its newest runs, and is looked up
--    when `ttl_look_at` has come. A thread expires never before that, so what is not due yet costs nothing.
-- T2 The clock that says what has expired is that of the database.

create table thread (
  thread_id text not null check (char_length(thread_id) between 1 and 200),
  tenant_id text not null check (char_length(tenant_id) between 1 and 200),
  metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
  created_at timestamptz not null,
  content_key bytea not null check (octet_length(content_key) = 32),
  origin_run uuid,                        -- what was said before its first run: that run, through that event
  origin_seq int,
  hidden_at timestamptz,                  -- deleted for its users: nothing of it is lost, and its id stays taken
  ttl_minutes float8,                     -- null: it lives until it is deleted
  ttl_since timestamptz,                  -- when its owner last said something of it; its runs may have ended later
  ttl_look_at timestamptz,                -- null: never, or it is deleted
  title text,                             -- what its notes say it is called, see note_title; null: nothing yet
  title_by text,                          -- words, model, user
  title_run uuid,                         -- the run that it is of; null: of none
  kind text,                              -- memory: it is the thread of one, and stands in no listing; null: a conversation
  memory text,                            -- off: nothing of it is remembered, or, of a memory, nothing for now; null: what its agents say
  primary key (tenant_id, thread_id)
);
create index thread_by_tenant on thread (tenant_id, created_at desc, thread_id);
create index thread_memory on thread (tenant_id, created_at, thread_id) where kind = 'memory';
create index thread_ttl on thread (ttl_look_at) where ttl_look_at is not null;
