-- needs_code: 18
-- Uploads, and what is done with them. Older builds know none, and write none; a run that was given files has them in its first event, where
-- older builds read a field that says nothing to them.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

\ir tables/upload.sql sha256:0de78c51fd093436
alter table upload enable row level security;
alter table upload force row level security;
create policy owner_all on upload to signalbox_owner using (true) with check (true);
alter table upload_part enable row level security;
alter table upload_part force row level security;
create policy owner_all on upload_part to signalbox_owner using (true) with check (true);

\ir functions/put_upload_part.sql sha256:8092f9aa1fa9f90a
\ir functions/finish_uploads.sql sha256:27e5f1a0855404b8
\ir functions/use_uploads.sql sha256:a29d6dfd9498aada
\ir functions/drop_uploads.sql sha256:865ad1a503141b7d
\ir functions/sweep_uploads.sql sha256:39dbfdcaccef0a0e
