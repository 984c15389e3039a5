import { z } from '@hono/zod-openapi'
import type { ThreadStatus as RegisterStatus, ThreadView } from '@signalbox/postgres'
import { Interrupt } from '../../wires/langgraph/interrupt.ts'
import { ChatMessage } from '../../wires/langgraph/messages.ts'
import { artifactFields } from './file-view.ts'
import { iso } from './iso.ts'

export const ThreadStatus = z.enum(['idle', 'busy', 'interrupted', 'error'])
export type ThreadStatus = z.infer<typeof ThreadStatus>

export const Thread = z
  .object({
    thread_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    state_updated_at: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    /** `interrupted` if a run of it waits for a human, `error` if its newest run could not do its work. */
    status: ThreadStatus,
    /** Null where nothing was said yet, and in listings that do not show it. */
    values: z.object({ messages: z.array(ChatMessage), ...artifactFields }).nullable(),
    /** What its current run waits for, by the task that asks. */
    interrupts: z.record(z.string(), z.array(Interrupt)),
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

/** Without its state, the view says how the thread is, and not what was said in it. */
export const threadView = (
  thread: ThreadView,
  state: Partial<Pick<Thread, 'values' | 'interrupts'>> = {},
): Thread => ({
  thread_id: thread.threadId,
  created_at: iso(thread.createdAt),
  updated_at: iso(thread.updatedAt),
  state_updated_at: iso(thread.updatedAt),
  metadata: { ...thread.metadata },
  status: wireStatus[thread.status],
  values: null,
  interrupts: {},
  ...(thread.ttl ? { ttl: ttlView(thread.ttl) } : {}),
  ...state,
})

const ttlView = ({ minutes, expiresAt }: NonNullable<ThreadView['ttl']>): Thread['ttl'] => ({
  strategy: 'delete',
  ttl_minutes: minutes,
  expires_at: iso(expiresAt),
})
