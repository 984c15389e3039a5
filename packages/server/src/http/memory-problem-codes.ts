/** Problems of memories: a part of the table in `problem-codes.ts`. */

/** The kinds by code. */
export const memoryProblemKinds = {
  no_memory: {
    status: 404,
    title: 'There is no such memory',
    help: 'The agent remembers nothing, or the request names nobody whom it could remember: see `memory` of the agent, and the parameters `agent` and `subject`.',
  },
  unknown_memory_item: {
    status: 404,
    title: 'The memory has no such item',
    help: 'GET /memory lists the items of a memory with their ids. An id is not given twice.',
  },
  memory_forbidden: {
    status: 403,
    title: 'It is the memory of somebody else',
    help: 'Whoever is identified by the headers of `server.identity` has one memory. A request without them names the subject.',
  },
  memory_full: {
    status: 409,
    title: 'The memory is full',
    help: 'It has as many items, or as many bytes of text, as one may have. Remove some.',
  },
  memory_busy: {
    status: 409,
    title: 'The change waits for its turn',
    help: 'Learnings of the same memory are under way. The change is made behind them: do not send it again under another Idempotency-Key.',
  },
} as const
