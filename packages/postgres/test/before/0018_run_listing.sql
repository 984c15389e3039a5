-- Runs over all threads of a tenant: the open ones of a status, newest first. Ended ones have `run_by_outcome` since 0002.
--
-- A status changes at most a few times in the life of a run, and stands in predicates of other indexes already: such an update
-- was never HOT. The appends in between are as before.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- The status leads: an index that begins with the tenant would be taken for that of the runs of one thread, as long as the
-- statistics know of none.
create index run_by_status on run (status, tenant_id, id) where status <> 'ended';
