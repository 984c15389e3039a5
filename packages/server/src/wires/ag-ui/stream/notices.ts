/** Verdicts that a user should hear of, as `CUSTOM` events: `signalbox.` and the type, with what our own stream shows. */
import { isNotable } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { maskedPayload } from '../../../http/wire/masked-event.ts'
import type { AgUiEvent } from '../event.ts'

/** The notice of an event; null if it is none. Arguments of calls stand in none of them. */
export function noticeOf(event: StoredEvent): AgUiEvent | null {
  const { type, seq, tool, verdict } = event
  if (!isNotable(type)) return null
  const value = { seq, tool, verdict, ...maskedPayload(event) }
  return { type: 'CUSTOM', name: `signalbox.${type}`, value }
}
