/** The body of a webhook, as LangGraph has it: the run, when it began and ended, and the values of its thread. */
import { z } from '@hono/zod-openapi'
import type { Delivery, RunHead } from '@signalbox/engine'
import { runDocument } from '../../http/run-document.ts'
import { iso } from '../../http/wire/iso.ts'
import { endText, RunError } from '../../http/wire/run-error.ts'
import { Run, wireStatus } from '../../http/wire/run-view.ts'
import type { ReadModel } from '../../read-model.ts'
import { ChatMessage } from './messages.ts'
import { nothingLeft, runValueFields, runValues } from './run-values.ts'
import { lastStep, threadEvents, throughHead } from './state.ts'

/** What a receiver is sent. */
const WebhookBody = Run.omit({ error: true })
  .extend({
    /** Beside LangGraph's: whether the run has ended, or waits for a human. */
    type: z.enum(['run.ended', 'run.waiting']),
    run_started_at: z.string().nullable(),
    run_ended_at: z.string().nullable(),
    webhook_sent_at: z.string(),
    /** Null where they were too large; then `values_omitted` is there. */
    values: z.object({ messages: z.array(ChatMessage), ...runValueFields }).nullable(),
    values_omitted: z.literal(true).optional(),
    /** Present when the run ended in error. */
    error: z
      .object({ error: z.string(), message: z.string(), cause: RunError.optional() })
      .optional(),
  })
  .openapi('WebhookBody')
export type WebhookBody = z.infer<typeof WebhookBody>

/** What the body is made of: reads of the run's own tenant. */
export type WebhookReads = Pick<ReadModel, 'run' | 'runEvents' | 'threadEvents' | 'listedRun'>

/** The body, as the run stands now; null if it is not there. */
export async function webhookBody(
  read: WebhookReads,
  { tenantId, runId, on }: Delivery,
  at: Date,
): Promise<WebhookBody | null> {
  const head = await read.run(tenantId, runId)
  if (!head) return null
  const [run, events, first] = await Promise.all([
    runDocument(read, head),
    threadEvents(read, head, throughHead(head)),
    read.runEvents(tenantId, runId, { after: 0, limit: beginningEvents }),
  ])
  const started = first.find(({ type }) => type === 'run.admitted')
  const ended = events.findLast(
    (event) => event.runId === runId && event.type === 'run.transitioned' && event.verdict !== null,
  )
  const { error, ...document } = run
  const step = lastStep(events)
  return {
    ...document,
    type: on === 'waiting' ? 'run.waiting' : 'run.ended',
    run_started_at: started ? iso(started.at) : null,
    run_ended_at: ended ? iso(ended.at) : null,
    webhook_sent_at: at.toISOString(),
    values: {
      messages: [...(step?.messages ?? [])],
      ...runValues(step ?? nothingLeft),
    },
    ...errorOf(head, error ?? null),
  }
}

/** A run is admitted right after it was created, or after those before it on its thread: few events come between. */
const beginningEvents = 20

function errorOf(head: RunHead, cause: RunError | null): Pick<WebhookBody, 'error'> {
  const status = wireStatus(head)
  if (status !== 'error' && status !== 'timeout') return {}
  const message = endText(head.outcome, cause)
  return { error: { error: String(head.outcome), message, ...(cause && { cause }) } }
}
