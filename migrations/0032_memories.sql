-- needs_code: 18
-- Threads of memories, and threads of which nothing is remembered. Effects that learn outlive their run. Older builds ask for none of them, and
-- find none that is due; they would list the threads of memories, so memories are configured when no older build runs any more.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

alter table thread add column kind text, add column memory text;
grant select (kind, memory) on thread to signalbox_app;
create index thread_memory on thread (tenant_id, created_at, thread_id) where kind = 'memory';

alter table api_key drop constraint api_key_scopes_check, add constraint api_key_scopes_check check (
  scopes <@ array['enqueue', 'read', 'approve', 'audit', 'admin', 'memory:read', 'memory:write'] and cardinality(scopes) <= 7);

\ir functions/outlives_run.sql sha256:5e488543ceb7ba73
-- They are made of the one above, and cannot be made before it.
\ir functions/claim_stands.sql sha256:bdc3c1bbacb78e91
\ir functions/renew.sql sha256:b5704114cd405592
\ir functions/keep_memory.sql sha256:005fca69465850fb
\ir functions/set_memory.sql sha256:5219c927df115c9a
\ir functions/erase_memory.sql sha256:45825984226b5bc4
\ir functions/create_run.sql sha256:f5a81e3a0ad8310e
\ir functions/change_thread.sql sha256:ade0cd5feae46b88
