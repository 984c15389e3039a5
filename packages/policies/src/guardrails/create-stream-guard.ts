/** A stream guard: what the guardrails of an agent make of one attempt of one turn, piece by piece. */
import type { JsonObject, Trip } from '@signalbox/core'
import type { AttemptContext, Guarded, RedactedText, StreamGuard } from '@signalbox/engine'
import { type ChainResult, type Redacted, runGuardrailChain } from './chain.ts'
import { foundKinds } from './search-outcome.ts'
import { type Inspected, inspectArguments } from './inspect.ts'
import type { Guardrail } from './part.ts'
import { TextLane } from './text-lane.ts'

/** The parts of a guard: the chain in its order, and what the guardrails may know. */
export interface StreamGuardOptions {
  readonly guardrails: readonly Guardrail[]
  readonly context: AttemptContext
}

type Kind = 'text' | 'reasoning'

const nothing: Guarded = { type: 'released', text: '' }

/**
 * A guard for one attempt. However a text is split into deltas, the same text goes out of it and it ends with the same verdict:
 * if a delta holds text that may go out and text that trips, the first is answered to it and the trip to the next call.
 *
 * `released` in the context of a call or an error is the end of the text that went out, up to 8,192 code units; `offset` in a
 * trip counts all of it.
 */
export function createStreamGuard(options: StreamGuardOptions): StreamGuard {
  const { guardrails, context } = options
  const counts = new Map<string, RedactedText>()
  let trip: Trip | null = null

  const count =
    (place: Kind) =>
    (taken: readonly Redacted[]): void => {
      for (const { guardrail, kind } of taken) {
        const key = `${place} ${kind} ${guardrail.id}`
        const before = counts.get(key)?.count ?? 0
        counts.set(key, { guardrail, kind, place, count: before + 1 })
      }
    }
  /** Most turns have only texts. */
  const lanes = new Map<Kind, TextLane>()
  const laneOf = (kind: Kind): TextLane => {
    const lane = lanes.get(kind) ?? new TextLane(kind, guardrails, { context, taken: count(kind) })
    lanes.set(kind, lane)
    return lane
  }
  const flow = (kind: Kind, how: 'push' | 'end' | 'cut', more: string): Guarded => {
    if (trip !== null) return { type: 'tripped', trip }
    const lane = laneOf(kind)
    const { text, refusal } = how === 'push' ? lane.push(more) : lane[how]()
    if (refusal === null) return { type: 'released', text }
    const { by, outcome, feedback } = refusal
    const { offset } = lane.released
    trip = { guardrail: by, outcome, feedback, partType: kind, offset }
    return text === '' ? { type: 'tripped', trip } : { type: 'released', text }
  }
  return {
    // A model call asks so for a trip after each text that it has shown.
    push: (kind, text) => (text === '' && trip === null ? nothing : flow(kind, 'push', text)),
    end: (kind) => flow(kind, 'end', ''),
    redacted: () => [...counts.values()],
    cut: (kind) => flow(kind, 'cut', ''),
    judge(part) {
      if (trip !== null) return { type: 'tripped', trip }
      const { end, offset } = laneOf('text').released
      const about = { ...context, released: end, last: true }
      trip = tripOf(runGuardrailChain(part, guardrails, about), part.type, offset)
      return trip === null ? nothing : { type: 'tripped', trip }
    },
    async inspect(call) {
      if (trip !== null) return { type: 'tripped', trip }
      const inspected = await inspectArguments(call.args, guardrails)
      if (inspected.type === 'passed') return inspected
      trip = refusalOf(inspected, call.name, laneOf('text').released.offset)
      return { type: 'tripped', trip }
    },
  }
}

function tripOf(
  { result, by }: ChainResult,
  partType: Trip['partType'],
  offset: number,
): Trip | null {
  if (by === null || result.type === 'pass') return null
  const feedback = result.type === 'fail' ? result.feedback : (result.reason ?? '')
  return { guardrail: by, outcome: result.type, feedback, partType, offset }
}

/** A guardrail refuses the arguments of a call. */
function refusalOf(
  { by, kinds }: Extract<Inspected<JsonObject>, { type: 'refused' }>,
  tool: string,
  offset: number,
): Trip {
  const { id, name, inspector } = by
  const about = { guardrail: { id, name }, partType: 'tool_call', offset } as const
  if (!kinds) return { ...about, outcome: 'stop', feedback: 'guardrail_error' }
  if (inspector?.action !== 'fail')
    return { ...about, outcome: 'stop', feedback: foundKinds(kinds) }
  const feedback =
    `I was about to pass ${inspector.describe(kinds)} to the tool ${tool}, which I must not do here. ` +
    'I will make the call again without it.'
  return { ...about, outcome: 'fail', feedback }
}
