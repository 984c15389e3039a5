-- The transaction that writes a row. Declared immutable because only such functions may generate a column, and a generated column is
-- the one thing that a dump does not carry: a restore computes it anew, with a number of the new cluster. It is evaluated once per
-- statement that writes, never for one that reads.
create or replace function writing_transaction() returns xid8
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return pg_current_xact_id();
end $$;

revoke execute on function writing_transaction from public;
