/** Problems of what this process stands on: a part of the table in `problem-codes.ts`. */

/** The kinds by code. */
export const registerProblemKinds = {
  register_unavailable: {
    status: 503,
    title: 'The register cannot be reached',
    help: 'Postgres does not answer. Try again after `Retry-After` seconds, with the same Idempotency-Key.',
  },
  register_full: {
    status: 503,
    title: 'The register has no room',
    help: 'The disk or the memory of Postgres is full, or one of its limits is reached. Nothing is lost; the operator gives it room. Try again after `Retry-After` seconds, with the same Idempotency-Key.',
  },
  register_read_only: {
    status: 503,
    title: 'The register takes no writes',
    help: 'Postgres is a replica or was set read-only, as in a failover. Try again after `Retry-After` seconds, with the same Idempotency-Key.',
  },
  newer_build: {
    status: 503,
    title: 'The run is newer than this process',
    help: 'A newer build of Signalbox wrote to the run, and this process cannot read it. Nothing is lost: a process of that build answers. Try again after `Retry-After` seconds; where it lasts, finish the rolling deploy.',
  },
  definition_changed: {
    status: 409,
    title: 'The stored definition was changed',
    help: 'Somebody edited a definition where it is stored: what lies there is not what its hash says, as `signalbox audit verify` shows. Nothing is read from it, and a run that is pinned to it fails, with the same code in `run.faulted`. Find out who writes to the database; put back the row from a backup; start other runs.',
  },
  not_ready: {
    status: 503,
    title: 'This process cannot do all of its work',
    help: '`checks` says what it lacks. It goes on by itself once that is back.',
  },
  process_stuck: {
    status: 503,
    title: 'This process must be restarted',
    help: 'Its reconciler has not come round for two minutes, though Postgres answers. `/live` says so to what restarts processes.',
  },
} as const
