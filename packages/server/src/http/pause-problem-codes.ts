/** Problems of pauses: a part of the table in `problem-codes.ts`. */

/** The kinds by code. */
export const pauseProblemKinds = {
  unknown_pause: {
    status: 404,
    title: 'There is no such pause',
    help: 'It was lifted, its time has passed, or it never was. GET /pauses lists those that stand.',
  },
  unknown_target: {
    status: 404,
    title: 'There is nothing of this name to pause',
    help: 'A target is an agent, a tool or a queue that the configuration names, or that a run of the tenant had. `detail` names the nearest. A tool has the name by which a model calls it.',
  },
  pause_unconfirmed: {
    status: 503,
    title: 'The pause stands, but something may still start',
    help: 'A write that began before the pause has not ended. Send the same request again after `Retry-After` seconds: it waits for it again.',
  },
} as const
