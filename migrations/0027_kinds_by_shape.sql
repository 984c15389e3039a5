-- needs_code: 18
-- A decision may ask for an effect of any kind that is written as one: a build that brings a new kind needs no step. Older builds ask for
-- nothing else than before; an effect of a kind that they do not know is not theirs to perform.

set local role signalbox_owner;
set local search_path = signalbox, pg_catalog;

\ir functions/decision_problem.sql sha256:c00297a9aa7c0383
