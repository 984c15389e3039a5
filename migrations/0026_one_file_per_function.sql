-- needs_code: 18
-- The last schema before `0001_register.sql` made new databases. Its tables and functions are what the register's files say, so
-- that nothing of them changes here; with this step they are recorded as such. The steps 1 to 25 are part of the register now.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- Recorded before there was the column: nothing older than the step itself works with it.
update migration set needs_code = version where needs_code is null;
alter table migration alter column needs_code set not null;
