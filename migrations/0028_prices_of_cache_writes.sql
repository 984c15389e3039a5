-- needs_code: 18
-- Prices say what a million tokens that are written to a cache cost. Older builds read the columns that they know by name, and count these
-- tokens as other input, which is what they cost where nobody says otherwise.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

-- What a function returns cannot be changed in place.
drop function model_prices(text);

\ir functions/model_prices.sql sha256:e1fc474ada00ca48
