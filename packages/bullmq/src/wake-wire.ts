/**
 * The messages over Redis pub/sub: `<origin>\n<json>`. The origin stands in front so that a process recognises the
 * echo of its own message without parsing it. Whatever else is on the channel is ignored: anybody who may publish
 * there can at worst cause a poll.
 */
import { limits } from '@signalbox/core'
import type { Delta } from '@signalbox/engine'

export function encode(origin: string, items: readonly (string | Delta)[]): string {
  return `${origin}\n${JSON.stringify(items)}`
}

/** The items of somebody else's message; null for our own and for anything that is not one. */
export function decode(origin: string, message: string): readonly unknown[] | null {
  const end = message.indexOf('\n')
  if (end < 0 || message.slice(0, end) === origin) return null
  try {
    const items: unknown = JSON.parse(message.slice(end + 1))
    return Array.isArray(items) ? items : null
  } catch {
    return null
  }
}

export function isWakeId(item: unknown): item is string {
  return typeof item === 'string' && item !== '' && item.length <= limits.idCharsMax
}

export function isDeltaOf(runId: string, item: unknown): item is Delta {
  if (typeof item !== 'object' || item === null) return false
  const delta: Partial<Record<keyof Delta, unknown>> = item
  return (
    delta.runId === runId &&
    isWakeId(delta.messageId) &&
    Number.isSafeInteger(delta.attempt) &&
    Number.isSafeInteger(delta.offset) &&
    isKind(delta.kind) &&
    typeof delta.text === 'string'
  )
}

/** As a record, so that a kind that is missing here does not compile. */
const kinds: Readonly<Record<Delta['kind'], true>> = { text: true, reasoning: true, progress: true }

const isKind = (kind: unknown): boolean => typeof kind === 'string' && Object.hasOwn(kinds, kind)
