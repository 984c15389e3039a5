/** Pauses on the wire. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { NamedTarget } from '@signalbox/engine'
import type { ListedPause } from '@signalbox/postgres'
import { isStorableText } from '../json-guard.ts'
import { Term } from './ids.ts'
import { iso } from './iso.ts'

/** The target of a pause: an agent, a tool or a queue, by name. A tool has the name by which a model calls it. */
export const PauseTarget = z
  .union(
    [
      z.strictObject({ agent: Term }),
      z.strictObject({ tool: Term }),
      z.strictObject({ queue: Term }),
    ],
    { error: 'takes one of {"agent": name}, {"tool": name} and {"queue": name}' },
  )
  .openapi('PauseTarget')
type PauseTarget = z.infer<typeof PauseTarget>

/** What is to be paused, and why. Strict, since a pause whose `until` is spelt otherwise would have no end. */
export const PauseCreate = z
  .strictObject({
    target: PauseTarget,
    /** The reason, for the operator who finds the target paused. It is recorded in the ledger. */
    reason: z
      .string()
      .trim()
      .min(1)
      .max(limits.pauseReasonCharsMax)
      .refine(isStorableText, 'takes text without U+0000'),
    /** When the pause ends by itself. Left out or null: when it is lifted. */
    until: z.iso.datetime({ offset: true }).nullish(),
  })
  .openapi('PauseCreate')

/** A pause that stands. */
export const Pause = z
  .object({
    pause_id: z.string(),
    target: PauseTarget,
    reason: z.string(),
    since: z.string(),
    until: z.string().nullable(),
    /** The actor that set the pause, or changed it last. */
    by: z.string(),
  })
  .openapi('Pause')

/** A target as JSON. */
export function targetView({ kind, name }: NamedTarget): PauseTarget {
  if (kind === 'agent') return { agent: name }
  return kind === 'tool' ? { tool: name } : { queue: name }
}

/** The target that a request names. */
export function targetOf(target: PauseTarget): NamedTarget {
  if ('agent' in target) return { kind: 'agent', name: target.agent }
  if ('tool' in target) return { kind: 'tool', name: target.tool }
  return { kind: 'queue', name: target.queue }
}

/** A pause as JSON. */
export const pauseView = (pause: ListedPause): z.infer<typeof Pause> => ({
  pause_id: pause.pauseId,
  target: targetView(pause.target),
  reason: pause.reason,
  since: iso(pause.since),
  until: pause.until === null ? null : iso(pause.until),
  by: pause.by,
})
