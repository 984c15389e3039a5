import { z } from '@hono/zod-openapi'
import type { RunHead, StoredEvent } from '@signalbox/engine'

const Explained = z.object({ messageId: z.string(), explanation: z.string() })
const Forced = z.object({ messageId: z.string().default(''), text: z.string().default('') })

const explained = new Set(['safety.suppressed', 'turn.cut', 'guardrail.stopped'])
const forced = new Set(['loop.stopped', 'budget.exhausted', 'answer.missing', 'rerun.stopped'])

/** The sentence that a verdict appended to a message, and which message. Null for every other event. */
export function decisionTexts({
  type,
  payload,
}: StoredEvent): { readonly messageId: string; readonly text: string } | null {
  if (explained.has(type)) {
    const { messageId, explanation: text } = Explained.parse(payload)
    return text === '' ? null : { messageId, text }
  }
  if (!forced.has(type)) return null
  const { messageId, text } = Forced.parse(payload)
  return text === '' || messageId === '' ? null : { messageId, text }
}

const Stopped = z.object({ code: z.string(), text: z.string() })

/** Why a rerun ended before its model had answered: a stable code, and the sentence. Null for every other run. */
export function rerunStop(
  events: readonly StoredEvent[],
  { runId }: Pick<RunHead, 'runId'>,
): { readonly error: string; readonly message: string } | null {
  const stop = events.find((event) => event.runId === runId && event.type === 'rerun.stopped')
  const said = Stopped.safeParse(stop?.payload)
  return said.success ? { error: said.data.code, message: said.data.text } : null
}
