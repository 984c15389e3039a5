/** Problems of what people say to a run that goes on: a part of the table in `problem-codes.ts`. */

/** The kinds by code. */
export const inputProblemKinds = {
  run_ending: {
    status: 409,
    title: 'The run is to end',
    help: 'A run that is being cancelled, has faulted, or is out of time, hears nothing any more. Create another run.',
  },
  run_asks_no_model: {
    status: 409,
    title: 'The run asks no model for an answer',
    help: 'An edit of a thread puts messages into it and ends, and a run that sums up a thread answers nobody. Create a run for what you have to say.',
  },
  edit_denied: {
    status: 422,
    title: 'The policies deny the edited call',
    help: 'Nothing was recorded: the request still waits. `detail` and `reasons` say what is denied. Edit again, or reject the call.',
  },
  input_full: {
    status: 409,
    title: 'Too much was said to the run',
    help: 'One run takes 100 messages and 1 MiB of text after its creation, and nothing near the end of its history. Create another run for the rest.',
  },
  nothing_to_compact: {
    status: 422,
    title: 'There is nothing to sum up',
    help: 'A summary takes the place of what is before the newest turns. This thread has no more than these, or too little before them: of a few words, and of little more than an earlier summary, a summary would hardly be shorter.',
  },
  nothing_runs: {
    status: 409,
    title: 'No run of the thread goes on',
    help: 'Start a run with what you have to say.',
  },
} as const
