/**
 * Events as a build can show them. A register may hold what a newer build wrote: nobody decides from that here, but lists,
 * streams and reports go on.
 */
import { Effect } from '../effect.ts'
import type { JsonObject } from '../json.ts'
import { StateName } from '../outcome.ts'
import { decisionSchemas } from './decision.ts'
import { currentVersion, isEventType } from './upcast.ts'

interface Versioned {
  readonly type: string
  readonly version: number
  readonly payload: JsonObject
}

/**
 * The event without what this build does not know: one of a newer type or version says nothing, and keeps its place; of a
 * decision, states and effects of newer kinds are left out. For reading only.
 */
export function legible<T extends Versioned>(event: T): T {
  const { type, version, payload } = event
  if (!isEventType(type) || version > currentVersion(type))
    return { ...event, type: `newer.${type}`, payload: {} }
  if (type !== 'run.transitioned' || decisionSchemas[type].safeParse(payload).success) return event
  const { path, effects } = payload
  const known = {
    ...(Array.isArray(path) && { path: path.filter((name) => StateName.safeParse(name).success) }),
    ...(Array.isArray(effects) && {
      effects: effects.filter((effect) => Effect.safeParse(effect).success),
    }),
  }
  return { ...event, payload: { ...payload, ...known } }
}
