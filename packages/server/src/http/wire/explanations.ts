import { z } from '@hono/zod-openapi'
import type { StoredEvent } from '@signalbox/engine'

const Explained = z.object({ messageId: z.string(), explanation: z.string() })

/** The sentence that a verdict appended to a message, and which message. Null for every other event. */
export function decisionTexts(
  event: StoredEvent,
): { readonly messageId: string; readonly text: string } | null {
  if (event.type !== 'safety.suppressed' && event.type !== 'turn.cut') return null
  const { messageId, explanation } = Explained.parse(event.payload)
  return explanation === '' ? null : { messageId, text: explanation }
}
