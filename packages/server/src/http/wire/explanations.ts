import { z } from '@hono/zod-openapi'
import type { StoredEvent } from '@signalbox/engine'

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
