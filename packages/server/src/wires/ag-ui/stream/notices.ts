/** Verdicts that a user should hear of, as `CUSTOM` events: `signalbox.` and the type, with what our own stream shows. */
import type { StoredEvent } from '@signalbox/engine'
import { maskedPayload } from '../../../http/wire/masked-event.ts'
import type { AgUiEvent } from '../event.ts'

const notable = new Set([
  'safety.suppressed',
  'turn.cut',
  'answer.missing',
  'guardrail.tripped',
  'guardrail.redacted',
  'guardrail.stopped',
  'model.retried',
  'model.replaced',
  'call.denied',
  'policy.warned',
  'policy.faulted',
  'approval.reused',
  'approval.expired',
  'approval.skipped',
  'loop.warned',
  'loop.stopped',
  'budget.warned',
  'budget.exhausted',
  'rerun.stopped',
])

/** The notice of an event; null if it is none. Arguments of calls stand in none of them. */
export function noticeOf(event: StoredEvent): AgUiEvent | null {
  const { type, seq, tool, verdict } = event
  if (!notable.has(type)) return null
  const value = { seq, tool, verdict, ...maskedPayload(event) }
  return { type: 'CUSTOM', name: `signalbox.${type}`, value }
}
