/** The text of a simulated model, let through a stream guard in random pieces. */
import type { Trip } from '@signalbox/core'
import type { StreamGuard } from '@signalbox/engine'
import type { Schedule } from './schedule.ts'

/** Returns the part of a text that went out, and the trip that ended it. */
export function speak(
  guard: StreamGuard,
  text: string,
  schedule: Schedule,
): { readonly text: string; readonly trip: Trip | null } {
  let out = ''
  for (let from = 0; from < text.length;) {
    const to = from + 1 + Math.floor(schedule.unit() * 12)
    const guarded = guard.push('text', text.slice(from, to))
    if (guarded.type === 'tripped') return { text: out, trip: guarded.trip }
    out += guarded.text
    from = to
  }
  const last = guard.end('text')
  return last.type === 'tripped'
    ? { text: out, trip: last.trip }
    : { text: out + last.text, trip: null }
}
