-- Circuits of models, shared by all orchestrators and tenants. A model without a row has not failed since it last answered.
create table breaker (
  model text primary key check (char_length(model) between 1 and 200),
  failures int not null,                  -- in a row
  opened_at timestamptz,                  -- null while closed
  probe_at timestamptz                    -- when the probe under way was let through, null if none is
) with (fillfactor = 50);
