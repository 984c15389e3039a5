/** Threads: conversations, each over many runs. */
import { orElse } from './expected.ts'
import type { Thread, ThreadCount, ThreadCreate, ThreadSearch, ThreadState } from './generated.ts'
import { newKey } from './key.ts'
import type { Parts, Request } from './request.ts'
import type { Abortable } from './runs.ts'

/** Which states of a thread are listed. */
export type HistoryQuery = NonNullable<Parts<'POST /threads/{thread_id}/history'>['body']>
type Page = NonNullable<Parts<'GET /threads'>['query']>

/** Methods reject with a SignalboxError for refusals that they do not name. */
export type Threads = ReturnType<typeof threadsOf>

/** Makes the methods. */
export function threadsOf(request: Request) {
  return {
    /** Creates a thread. Without an id of yours: one, however often the request had to be sent. */
    create: (thread: ThreadCreate = {}, { signal }: Abortable = {}): Promise<Thread> => {
      const named = thread.thread_id !== undefined
      // A thread that is there under a new id can only be an earlier try's.
      const body = named
        ? thread
        : { ...thread, thread_id: newKey(), if_exists: 'do_nothing' as const }
      return request('POST /threads', {
        body,
        signal,
        repeatable: body.if_exists === 'do_nothing',
      })
    },
    /** With what was said in it. Null if there is none. */
    get: (threadId: string, { signal }: Abortable = {}): Promise<Thread | null> =>
      orElse(request('GET /threads/{thread_id}', { path: { thread_id: threadId }, signal }), {
        unknown_thread: () => null,
      }),
    /** A page, newest first. */
    list: ({ signal, ...query }: Page & Abortable = {}): Promise<Thread[]> =>
      request('GET /threads', { query, signal }),
    search: (wanted: ThreadSearch = {}, { signal }: Abortable = {}): Promise<Thread[]> =>
      request('POST /threads/search', { body: wanted, signal, repeatable: true }),
    count: (wanted: ThreadCount = {}, { signal }: Abortable = {}): Promise<number> =>
      request('POST /threads/count', { body: wanted, signal, repeatable: true }),
    /** What a thread has come to, now or at a checkpoint. */
    state: (
      threadId: string,
      { checkpointId, signal }: Abortable & { readonly checkpointId?: string } = {},
    ): Promise<ThreadState> =>
      checkpointId === undefined
        ? request('GET /threads/{thread_id}/state', { path: { thread_id: threadId }, signal })
        : request('GET /threads/{thread_id}/state/{checkpoint_id}', {
            path: { thread_id: threadId, checkpoint_id: checkpointId },
            signal,
          }),
    /** Its states, newest first. */
    history: (
      threadId: string,
      { signal, ...body }: HistoryQuery & Abortable = {},
    ): Promise<ThreadState[]> =>
      request('POST /threads/{thread_id}/history', {
        path: { thread_id: threadId },
        body,
        signal,
        repeatable: true,
      }),
  }
}
