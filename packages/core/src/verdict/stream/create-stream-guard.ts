/** A stream guard: what the guardrails of an agent make of one attempt of one turn, piece by piece. */
import type { JsonObject } from '../../json.ts'
import type { Trip } from '../../turn.ts'
import { type ChainResult, type Redacted, runGuardrailChain } from './chain.ts'
import { foundKinds } from './finding.ts'
import { HeldText, type JudgeText } from './held-text.ts'
import { type Inspected, inspectArguments } from './inspect.ts'
import type { Guardrail, GuardrailContext, StreamPart } from './part.ts'
import type { Guarded, RedactedText, StreamGuard } from './stream-guard.ts'

/** What a guard is made of: the chain in its order, and what the guardrails may know. */
export interface StreamGuardOptions {
  readonly guardrails: readonly Guardrail[]
  readonly context: Pick<GuardrailContext, 'availableTools' | 'availableSkills' | 'attempt'>
}

type Kind = 'text' | 'reasoning'

const windowMax = 1024

/**
 * A guard for one attempt. However a text is split into deltas, the guardrails see the same pieces of it, give the same
 * verdict, and the same text goes out: if a delta holds text that may go out and text that trips, the first is answered
 * to it and the trip to the next call. A term of up to `window + 1` code units is seen whole at least once.
 *
 * `released` in the context is the end of what went out of the same kind (of the text, for calls and errors), up to
 * 8,192 code units; `offset` in a trip counts all of it.
 */
export function createStreamGuard(options: StreamGuardOptions): StreamGuard {
  const { guardrails } = options
  const window = Math.max(0, ...guardrails.map(windowOf))
  const held = { text: new HeldText(window), reasoning: new HeldText(window) }
  const counts = new Map<string, RedactedText>()
  let trip: Trip | null = null

  const count = (
    guardrail: Redacted['guardrail'],
    kind: string,
    type: StreamPart['type'],
  ): void => {
    if (type !== 'text' && type !== 'reasoning') return
    const key = `${type} ${kind} ${guardrail.id}`
    const before = counts.get(key)?.count ?? 0
    counts.set(key, { guardrail, kind, place: type, count: before + 1 })
  }
  const judgePart = (part: StreamPart, last: boolean): StreamPart | null => {
    const { released, offset } = held[part.type === 'reasoning' ? 'reasoning' : 'text']
    const judged = runGuardrailChain(part, guardrails, { ...options.context, released, last })
    for (const { guardrail, kind } of judged.redacted) count(guardrail, kind, part.type)
    trip = tripOf(judged, part.type, offset)
    return judged.result.type === 'pass' ? judged.result.part : null
  }
  const judgeAs =
    (type: Kind): JudgeText =>
    (text, last) => {
      const passed = judgePart({ type, text }, last)
      return passed !== null && 'text' in passed ? passed.text : null
    }
  const judges = { text: judgeAs('text'), reasoning: judgeAs('reasoning') }
  const guarded = (work: () => string): Guarded => {
    const text = trip === null ? work() : ''
    return trip !== null && text === '' ? { type: 'tripped', trip } : { type: 'released', text }
  }
  return {
    push: (kind, text) => guarded(() => held[kind].push(text, judges[kind])),
    end: (kind) => guarded(() => held[kind].end(judges[kind])),
    redacted: () => [...counts.values()],
    cut: (kind) => guarded(() => held[kind].cut(judges[kind])),
    judge: (part) =>
      guarded(() => {
        judgePart(part, true)
        return ''
      }),
    inspect(call) {
      if (trip !== null) return { type: 'tripped', trip }
      const inspected = inspectArguments(call.args, guardrails)
      if (inspected.type === 'passed') return inspected
      trip = refusalOf(inspected, call.name, held.text.offset)
      return { type: 'tripped', trip }
    },
  }
}

const windowOf = ({ window = 0 }: Guardrail): number =>
  Number.isInteger(window) ? Math.min(Math.max(window, 0), windowMax) : windowMax

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
