-- The register as a new database gets it: the roles, the tables, one file per function, and who may read what.
--
-- Applied by `migrate()` inside one transaction; needs PostgreSQL 15 or newer, a UTF8 database, no extension.
--
-- Who may run it. A superuser, or (managed Postgres) a user with CREATEROLE and CREATE on the database. Such a user
-- creates the roles of roles.sql and makes itself a member of signalbox_owner; where the roles exist already (another database
-- of the cluster holds a register), somebody must first `grant signalbox_owner to <user>`.
--
-- Each `\ir` is replaced by that file, in this order: a function stands behind the tables and functions that its declaration
-- names. The files say how the schema is now; a database that is there gets what changed by the numbered steps.
--
-- Locks, in this order, so that no two appends can wait for each other: aliases by hash, threads and lanes by hash, runs by
-- id, effects, approvals and family of a locked run. A batch that creates children locks the parents among its runs, all
-- before its first item. Only a create that looks at the other runs of its thread waits for the thread; who wants the slot
-- only tries. Who wants to be admitted waits for the lanes of its run, if it has some. take_due() and renew() skip locked effects and hold nothing else; a circuit is locked alone.
-- Budgets: the budget, then its reservations; no run or effect is locked with them.

\ir roles.sql

create schema signalbox authorization signalbox_owner;
set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- ---- what tables are made of ----
\ir functions/wall.sql
\ir functions/to_ms.sql
\ir functions/from_ms.sql
\ir functions/uuid_bound.sql
\ir functions/netstring.sql
\ir functions/fits.sql
\ir functions/is_id.sql
\ir functions/is_count.sql
\ir functions/is_namespace.sql
\ir functions/is_ttl.sql
\ir functions/writing_transaction.sql

-- ---- tables ----
\ir tables/migration.sql
\ir tables/thread.sql
\ir tables/definition.sql
\ir tables/blob.sql
\ir tables/run.sql
\ir tables/lane.sql
\ir tables/alias.sql
\ir tables/event.sql
\ir tables/effect.sql
\ir tables/timer.sql
\ir tables/approval.sql
\ir tables/budget.sql
\ir tables/breaker.sql
\ir tables/end_user_run.sql
\ir tables/api_key.sql
\ir tables/store.sql
\ir tables/cron.sql
\ir tables/assistant.sql
\ir tables/feed_stretch.sql
\ir tables/heartbeat.sql
\ir tables/pause.sql
\ir tables/digest_key.sql
\ir tables/write_probe.sql
\ir tables/upload.sql
\ir tables/question.sql

-- ---- partitions and the chain ----
\ir functions/ensure_partitions.sql
\ir functions/check_tenant.sql
\ir functions/genesis.sql
\ir functions/link_event.sql

-- ---- conversations and threads ----
\ir functions/lineage.sql
\ir functions/branches.sql
\ir functions/thread_lock.sql
\ir functions/ensure_thread.sql
\ir functions/change_thread.sql
\ir functions/give_title.sql
\ir functions/keep_memory.sql
\ir functions/set_memory.sql
\ir functions/erase_memory.sql
\ir functions/hide_thread.sql
\ir functions/take_expired.sql

-- ---- who waits: lanes, pauses, leases ----
\ir functions/lane_lock.sql
\ir functions/lane_full.sql
\ir functions/lanes_full.sql
\ir functions/lane_awaited.sql
\ir functions/outlives_run.sql
\ir functions/is_aimed_at.sql
\ir functions/is_paused.sql
\ir functions/hold_effect.sql
\ir functions/release_held.sql
\ir functions/has_lapsed.sql
\ir functions/is_own_claim.sql
\ir functions/claim_stands.sql
\ir functions/renew.sql

-- ---- the room of a history ----
\ir functions/event_limit.sql
\ir functions/kept.sql
\ir functions/open_effects.sql
\ir functions/fact_fits.sql
\ir functions/decision_fits.sql
\ir functions/notes_fit.sql
\ir functions/crowded_claim.sql

-- ---- the write path ----
\ir functions/are_events.sql
\ir functions/is_claim.sql
\ir functions/item_problem.sql
\ir functions/decision_problem.sql
\ir functions/item_events.sql
\ir functions/refusal.sql
\ir functions/create_run.sql
\ir functions/admission_of.sql
\ir functions/input_refusal.sql
\ir functions/pass_fence.sql
\ir functions/pass_timer.sql
\ir functions/keep_approval.sql
\ir functions/apply_decision.sql
\ir functions/claim_effect.sql
\ir functions/settle_effect.sql
\ir functions/append_item.sql
\ir functions/append.sql
\ir functions/repair_state.sql
\ir functions/repair_run.sql

-- ---- dispatch ----
\ir functions/take_due.sql
\ir functions/take_waiting.sql

-- ---- the ledger, definitions and blobs ----
\ir functions/record_in_ledger.sql
\ir functions/put_definition.sql
\ir functions/use_definition.sql
\ir functions/used_definition.sql
\ir functions/model_prices.sql
\ir functions/put_blob.sql
\ir functions/put_upload_part.sql
\ir functions/finish_uploads.sql
\ir functions/use_uploads.sql
\ir functions/drop_uploads.sql
\ir functions/sweep_uploads.sql
\ir functions/digest_key.sql

-- ---- pauses, as administrators set them ----
\ir functions/set_pause.sql
\ir functions/lift_pause.sql
\ir functions/pausable.sql
\ir functions/pause_missed_by.sql

-- ---- circuits and budgets ----
\ir functions/admit_call.sql
\ir functions/report_call.sql
\ir functions/open_budget.sql
\ir functions/reserve_budget.sql
\ir functions/spend_budget.sql
\ir functions/settle_budgets.sql

-- ---- keys of the API ----
\ir functions/create_api_key.sql
\ir functions/revoke_api_key.sql
\ir functions/shown_api_key.sql
\ir functions/touch_api_keys.sql
\ir functions/has_api_keys.sql

-- ---- the store ----
\ir functions/sweep_tenant.sql
\ir functions/put_store_item.sql
\ir functions/delete_store_item.sql
\ir functions/prolong_store_items.sql
\ir functions/sweep_store.sql

-- ---- crons and assistants ----
\ir functions/is_cron.sql
\ir functions/create_cron.sql
\ir functions/update_cron.sql
\ir functions/delete_cron.sql
\ir functions/advance_cron.sql
\ir functions/put_assistant.sql
\ir functions/choose_version.sql
\ir functions/delete_assistant.sql

-- ---- the feed ----
\ir functions/survey_feed.sql
\ir functions/forget_survey.sql
\ir functions/feed_is_ahead.sql
\ir functions/restore_feed.sql

-- ---- end users, and upkeep ----
\ir functions/note_end_user.sql
\ir functions/forget_end_user.sql
\ir functions/keep_question.sql
\ir functions/note_title.sql
\ir functions/forget_title.sql
\ir functions/sweep_ended.sql
\ir functions/probe_write.sql

-- ---- who may read what ----
\ir triggers.sql
\ir policies.sql
