/**
 * What the stream guard makes of a turn that is over: of the calls of a good one, of the error of a bad one. Text and
 * reasoning went through it while they streamed.
 */
import type {
  AssistantPart,
  JsonObject,
  ModelError,
  Redaction,
  ToolCallPart,
  Trip,
} from '@signalbox/core'
import type { StreamGuard } from '@signalbox/engine'
import type { Judgement } from './judge.ts'

/** The parts of a turn that closed positively, and how a call is made anew with other arguments. */
export interface GuardedParts {
  readonly parts: readonly AssistantPart[]
  /** The call with redacted arguments, hashed and checked again. */
  readonly withArguments: (call: ToolCallPart, args: JsonObject) => ToolCallPart
}

/** The judgement, or `guardrail` in its place; the parts as they may be recorded, and what was taken out of them. */
export interface GuardedTurn {
  readonly judgement: Judgement
  readonly parts: readonly AssistantPart[]
  readonly redactions: readonly Redaction[]
}

/** Shows the guard the calls of a turn that closed positively, or the error that ended one. */
export async function guardJudgement(
  judgement: Judgement,
  turn: GuardedParts,
  guard: StreamGuard | null,
): Promise<GuardedTurn> {
  const asItIs = { judgement, parts: turn.parts, redactions: [] }
  if (guard === null) return asItIs
  if (judgement.verdict === 'complete') return await guardCalls(judgement, turn, guard)
  if (judgement.verdict === 'error' && judgement.error && mayBeCorrected(judgement.error))
    return { ...asItIs, judgement: guardError(judgement, judgement.error, guard) }
  return asItIs
}

/**
 * Each call that could run, in the order of the stream: its arguments, then the call with what is left of them. One trip takes
 * them all away: the turn is not positive.
 */
async function guardCalls(
  judgement: Judgement,
  { parts, withArguments }: GuardedParts,
  guard: StreamGuard,
): Promise<GuardedTurn> {
  const kept: AssistantPart[] = []
  const redactions: Redaction[] = []
  for (const part of parts) {
    if (part.type !== 'tool_call' || part.invalid) {
      kept.push(part)
      continue
    }
    const { id: callId, name: tool } = part
    const inspected = await guard.inspect({ name: tool, args: part.args })
    if (inspected.type === 'tripped') return tripped(inspected.trip)
    const { value, taken } = inspected
    const call = taken.length === 0 ? part : withArguments(part, value)
    if (!call.invalid) {
      const guarded = guard.judge({ type: 'tool_call', name: tool, args: call.args })
      if (guarded.type === 'tripped') return tripped(guarded.trip)
    }
    kept.push(call)
    for (const each of taken) redactions.push({ ...each, place: 'arguments', callId, tool })
  }
  return { judgement, parts: kept, redactions }
}

const tripped = (trip: Trip): GuardedTurn => ({
  judgement: { verdict: 'guardrail', evidence: [], trip },
  parts: [],
  redactions: [],
})

/** The guard reads the provider's own words. Only a correction takes the error's place; anything else lets it stand. */
function guardError(judgement: Judgement, error: ModelError, guard: StreamGuard): Judgement {
  const guarded = guard.judge({ type: 'error', message: error.message, class: error.class })
  return guarded.type === 'tripped' && guarded.trip.outcome === 'fail'
    ? { verdict: 'guardrail', evidence: [], trip: guarded.trip }
    : judgement
}

/**
 * An error that the same call would meet again. A failed tool use may be tried again as it is, too, but a model that is
 * told what was wrong does better. Never safety: what a filter stopped is not tried in other words.
 */
function mayBeCorrected(error: ModelError): boolean {
  return error.class !== 'safety' && (!error.retryable || error.class === 'tool_use_failed')
}
