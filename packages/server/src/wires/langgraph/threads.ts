/** Threads in LangGraph's words: what was said in them, what they wait for, and how they are searched. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, limits } from '@signalbox/core'
import type { ThreadFilter, ThreadOrder, ThreadView } from '@signalbox/postgres'
import { waitingInTree } from '../../http/humans-asked.ts'
import { Id } from '../../http/wire/ids.ts'
import { notYet } from '../../http/wire/not-yet.ts'
import {
  type Thread,
  threadStatus,
  ThreadStatus,
  threadView,
  titleKey,
} from '../../http/wire/thread-view.ts'
import type { ReadModel } from '../../read-model.ts'
import { interruptsOf } from './interrupt.ts'
import {
  emptyState,
  lastStep,
  stateOf,
  threadEvents,
  type ThreadState,
  withoutNext,
  withWaiting,
} from './state.ts'

/** With more than so many threads asked for, a search does not say what was said in them. */
const threadsWithValuesMax = 100
const idsMax = 1000

const filters = {
  /** Keys and values that the metadata must have. */
  metadata: JsonObjectSchema.nullish().openapi({ type: ['object', 'null'] }),
  ids: z.array(Id).max(idsMax).nullish(),
  status: ThreadStatus.nullish(),
  values: notYet('Search by metadata, ids or status.'),
}

export const ThreadCount = z.object(filters).openapi('ThreadCount')

export const ThreadSearch = z
  .object({
    ...filters,
    limit: z.number().int().min(1, 'takes at least 1').max(limits.pageMax).default(10),
    offset: z.number().int().min(0).max(1_000_000).default(0),
    sort_by: z
      .enum(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'])
      .nullish(),
    sort_order: z.enum(['asc', 'desc']).nullish(),
    /** Only asked whether it has `values`: an answer may have more fields than were asked for. */
    select: z.array(z.string()).nullish(),
    extract: notYet('Read `values` instead.'),
  })
  .openapi('ThreadSearch')
export type ThreadSearch = z.output<typeof ThreadSearch>

const orders: Readonly<Record<NonNullable<ThreadSearch['sort_by']>, ThreadOrder>> = {
  thread_id: 'threadId',
  status: 'status',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  state_updated_at: 'updatedAt',
}

/** The filter of the register that a search means. */
export function threadFilter(search: z.output<typeof ThreadCount>): ThreadFilter {
  const { metadata, ids, status } = search
  return {
    ...(metadata ? { metadata } : {}),
    ...(ids ? { ids } : {}),
    ...(status ? { status: threadStatus[status] } : {}),
  }
}

export const threadPage = ({ limit, offset, sort_by, sort_order }: ThreadSearch): ThreadFilter => ({
  limit,
  offset,
  ...(sort_by ? { orderBy: orders[sort_by] } : {}),
  ...(sort_order ? { ascending: sort_order === 'asc' } : {}),
})

/** Does the search show what was said? */
export const wantsValues = ({ limit, select }: ThreadSearch): boolean =>
  select ? select.includes('values') : limit <= threadsWithValuesMax

type Place = Pick<ThreadView, 'tenantId' | 'threadId'> &
  Partial<Pick<ThreadView, 'title' | 'metadata'>>

/** The state of a thread as it is now, with its title where the thread was read with it. */
export async function currentState(
  read: Pick<ReadModel, 'threadEvents' | 'run' | 'approvals' | 'inputs' | 'waiting' | 'listedRun'>,
  thread: Place,
): Promise<ThreadState> {
  const state = await untitledState(read, thread)
  const { title = null, metadata = {} } = thread
  return { ...state, values: { ...state.values, ...titleKey({ title, metadata }) } }
}

async function untitledState(
  read: Parameters<typeof currentState>[0],
  { tenantId, threadId }: Place,
  isSecond = false,
): Promise<ThreadState> {
  const events = await threadEvents(read, { tenantId, threadId })
  const step = lastStep(events)
  if (!step) return emptyState(threadId)
  const state = stateOf(threadId, step)
  if (step.outcome !== null) return state
  const head = await read.run(tenantId, step.runId)
  // Ended since its events were read: a page would show a breakpoint that nothing ever takes back.
  if (head?.status === 'ended')
    return isSecond ? withoutNext(state) : untitledState(read, { tenantId, threadId }, true)
  if (head?.cancelRequested) return withoutNext(state)
  // Decided meanwhile: what the events say was true when they were read.
  if (!head || (head.status !== 'waiting' && head.waitsBelow !== true)) return state
  return withWaiting(state, interruptsOf(await waitingInTree(read, head)))
}

/** The thread with what was said in it, and what it waits for. */
export async function threadWithState(
  read: Parameters<typeof currentState>[0],
  thread: ThreadView,
): Promise<Thread> {
  const state = await currentState(read, thread)
  const asking = state.tasks.filter(({ interrupts }) => interrupts.length > 0)
  return threadView(thread, {
    values: state.checkpoint.checkpoint_id === null ? null : state.values,
    interrupts: Object.fromEntries(asking.map(({ id, interrupts }) => [id, interrupts])),
  })
}
