-- needs_code: 18
-- Threads have titles, kept from the notes that say so. Which kinds of effects outlive their run is one function: it stood in seven
-- places. Older builds ask for no effect of the new kind, find none that is due, and read threads by their columns.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

alter table thread add column title text, add column title_by text, add column title_run uuid;
grant select (title, title_by, title_run) on thread to signalbox_app;

\ir functions/outlives_run.sql sha256:22da7285f63599db
\ir functions/claim_stands.sql sha256:bdc3c1bbacb78e91
\ir functions/crowded_claim.sql sha256:6deae8c2485ac5f5
\ir functions/claim_effect.sql sha256:110c934e9698a614
\ir functions/settle_effect.sql sha256:36c5b5dd93cfe101
\ir functions/apply_decision.sql sha256:db25b099d787d7a8
\ir functions/renew.sql sha256:b5704114cd405592
\ir functions/give_title.sql sha256:eff9d501e6773767
\ir functions/note_title.sql sha256:eb8833766fe40caa
\ir functions/forget_title.sql sha256:2871afaba2ce45ce

create trigger event_titled after insert on event
for each row when (new.type in ('thread.titled', 'title.unchanged'))
execute function note_title();

create trigger event_untitled after update of payload on event
for each row when (old.type = 'thread.titled' and old.payload is not null and new.payload is null)
execute function forget_title();
