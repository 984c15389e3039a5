/** Pauses as rows of a table, and their targets in two words. */
import type { Pause, PauseTarget } from '../client/documents.ts'
import { duration, oneLine } from '@signalbox/core/text'

const whole = 200

/** `agent writer`. */
export function targetText(target: PauseTarget | undefined): string {
  const [kind, name] = Object.entries(target ?? {})[0] ?? []
  return kind === undefined ? 'what is paused' : oneLine(`${kind} ${String(name)}`, whole)
}

/** The same as arguments of a command. */
export function targetArguments(target: PauseTarget | undefined): string {
  const [kind = '', name = ''] = Object.entries(target ?? {})[0] ?? []
  const text = String(name)
  return `${kind} ${/^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`}`
}

/** A row of the table. `now` is milliseconds since the epoch. */
export const pauseRow = (pause: Pause, now: number): Readonly<Record<string, string>> => ({
  paused: targetText(pause.target),
  for: duration(now - Date.parse(pause.since)),
  until: pause.until?.slice(0, 19).replace('T', ' ') ?? '',
  by: oneLine(pause.by, whole),
  reason: oneLine(pause.reason, whole),
})
