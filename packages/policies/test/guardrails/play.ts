/** Drives a stream guard as a model call does: deltas in, visible text out. */
import { createGuardrail } from '../../src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../../src/guardrails/create-stream-guard.ts'
import type { Guardrail, GuardrailContext } from '../../src/guardrails/part.ts'
import { StreamGuardSpec, type Trip } from '@signalbox/core'

/** A context with nothing in it. */
export const context: GuardrailContext = {
  availableTools: [],
  availableSkills: [],
  attempt: 0,
  released: '',
  last: true,
}

/** The guardrail of a spec as a user would write it. */
export function guardrailOf(spec: unknown): Guardrail {
  const guardrail = createGuardrail(StreamGuardSpec.parse(spec))
  if (guardrail === null) throw new Error('this spec has no guardrail of its own')
  return guardrail
}

/** What a client saw, and how it ended. */
export interface Played {
  readonly text: string
  readonly trip: Trip | null
}

/** Streams the deltas and ends the text. */
export function play(guardrails: readonly Guardrail[], deltas: readonly string[]): Played {
  const guard = createStreamGuard({ guardrails, context })
  let text = ''
  const steps = [...deltas.map((delta) => () => guard.push('text', delta)), () => guard.end('text')]
  for (const step of steps) {
    const guarded = step()
    if (guarded.type === 'tripped') return { text, trip: guarded.trip }
    text += guarded.text
  }
  return { text, trip: null }
}

/** The text in deltas of this many code units. */
export const inDeltas = (text: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
    text.slice(n * size, n * size + size),
  )

/** The text in deltas whose lengths repeat. */
export function split(text: string, lengths: readonly number[]): readonly string[] {
  const deltas: string[] = []
  for (let at = 0, n = 0; at < text.length; n += 1) {
    const size = Math.max(1, lengths[n % Math.max(1, lengths.length)] ?? 1)
    deltas.push(text.slice(at, at + size))
    at += size
  }
  return deltas
}

/** What all of a text becomes in one piece. */
export const judged = (guardrail: Guardrail, text: string): string => {
  const result = guardrail.handle({ type: 'text', text }, context)
  if (result.type === 'pass' && 'text' in result.part) return result.part.text
  return `(${result.type})`
}
