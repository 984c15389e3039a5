import { z } from '@hono/zod-openapi'
import type { ThreadStatus as RegisterStatus, ThreadView } from '@signalbox/postgres'
import { Interrupt } from '../../wires/langgraph/interrupt.ts'
import { ChatMessage } from '../../wires/langgraph/messages.ts'
import { runValueFields } from '../../wires/langgraph/run-values.ts'
import type { Scope } from '../../keys/scope.ts'
import { iso } from './iso.ts'

export const ThreadStatus = z.enum(['idle', 'busy', 'interrupted', 'error'])
export type ThreadStatus = z.infer<typeof ThreadStatus>

export const Thread = z
  .object({
    thread_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    state_updated_at: z.string(),
    /** Its `title` is what the thread is called, where anybody said so. */
    metadata: z.record(z.string(), z.unknown()),
    /** `interrupted` if a run of it waits for a human, `error` if its newest run could not do its work. */
    status: ThreadStatus,
    /** Null where nothing was said yet, and in listings that do not show it. */
    values: z
      .object({
        messages: z.array(ChatMessage),
        title: z.string().optional(),
        ...runValueFields,
      })
      .nullable(),
    /** What its current run waits for, by the task that asks. */
    interrupts: z.record(z.string(), z.array(Interrupt)),
    /** `off`: a private conversation. Absent: its agents remember what they are configured to. */
    memory: z.literal('off').optional(),
    /** When it will be deleted unless it is used before. Absent where it was given no ttl. */
    ttl: z
      .object({ strategy: z.literal('delete'), ttl_minutes: z.number(), expires_at: z.string() })
      .optional(),
  })
  .openapi('Thread')
export type Thread = z.infer<typeof Thread>

const wireStatus: Readonly<Record<RegisterStatus, ThreadStatus>> = {
  idle: 'idle',
  busy: 'busy',
  waiting: 'interrupted',
  failed: 'error',
}

/** What the register calls a status of the wire. */
export const threadStatus: Readonly<Record<ThreadStatus, RegisterStatus>> = {
  idle: 'idle',
  busy: 'busy',
  interrupted: 'waiting',
  error: 'failed',
}

/**
 * The title of a thread: that of a person, else the `title` in its metadata, which its client keeps, else that of words or a model. Undefined: it
 * has no title.
 */
function shownTitle({
  title,
  metadata,
}: Pick<ThreadView, 'title' | 'metadata'>): string | undefined {
  const own = metadata['title']
  return title?.by !== 'user' && typeof own === 'string' ? own : title?.title
}

/** The key `title`, if there is something to say. */
export function titleKey(thread: Pick<ThreadView, 'title' | 'metadata'>): {
  readonly title?: string
} {
  const title = shownTitle(thread)
  return title === undefined ? {} : { title }
}

/** The thread as it is shown to a caller: a title that is made of what was said, to those who may read that. */
export const shownTo = (scopes: readonly Scope[], thread: ThreadView): ThreadView =>
  scopes.includes('read') || thread.title?.by === 'user' ? thread : { ...thread, title: null }

/** Without its state, the view says how the thread is, and not what was said in it. */
export const threadView = (
  thread: ThreadView,
  state: Partial<Pick<Thread, 'values' | 'interrupts'>> = {},
): Thread => ({
  thread_id: thread.threadId,
  created_at: iso(thread.createdAt),
  updated_at: iso(thread.updatedAt),
  state_updated_at: iso(thread.updatedAt),
  metadata: { ...thread.metadata, ...titleKey(thread) },
  status: wireStatus[thread.status],
  values: null,
  interrupts: {},
  ...(thread.isPrivate ? { memory: 'off' as const } : {}),
  ...(thread.ttl ? { ttl: ttlView(thread.ttl) } : {}),
  ...state,
})

const ttlView = ({ minutes, expiresAt }: NonNullable<ThreadView['ttl']>): Thread['ttl'] => ({
  strategy: 'delete',
  ttl_minutes: minutes,
  expires_at: iso(expiresAt),
})
