/** Problems of runs that are to be repeated: a part of the table in `problem-codes.ts`. */

/** The kinds by code. */
export const repeatProblemKinds = {
  run_not_ended: {
    status: 409,
    title: 'The run has not ended',
    help: 'Only what has ended stands still, and can be repeated. Wait for the end of the run, or cancel it.',
  },
  rerun_refused: {
    status: 409,
    title: 'The run cannot be repeated',
    help: 'An edit asked no model, a summary of a thread has no turn, and an input that was erased cannot be asked again. `detail` says which it is.',
  },
  retry_refused: {
    status: 409,
    title: 'The run cannot be retried',
    help: 'An edit asked no model, a summary of a thread has no turn, a rerun executes nothing, a run that a run has started is retried with its parent, and an input that was erased cannot be asked again. `detail` says which it is.',
  },
} as const
