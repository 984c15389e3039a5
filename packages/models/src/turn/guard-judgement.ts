/**
 * What the stream guard makes of a turn that is over: of the calls of a good one, of the error of a bad one. Text and
 * reasoning went through it while they streamed.
 */
import type { AssistantPart, ModelError, StreamGuard } from '@signalbox/core'
import type { Judgement } from './judge.ts'

/** The judgement, or `guardrail` in its place. `parts` are those of a turn that closed positively. */
export function guardJudgement(
  judgement: Judgement,
  parts: readonly AssistantPart[],
  guard: StreamGuard | null,
): Judgement {
  if (guard === null) return judgement
  if (judgement.verdict === 'complete') return guardCalls(judgement, parts, guard)
  if (judgement.verdict === 'error' && judgement.error && mayBeCorrected(judgement.error))
    return guardError(judgement, judgement.error, guard)
  return judgement
}

/** Each call that could run, in the order of the stream. One trip takes them all away: the turn is not positive. */
function guardCalls(
  judgement: Judgement,
  parts: readonly AssistantPart[],
  guard: StreamGuard,
): Judgement {
  for (const part of parts) {
    if (part.type !== 'tool_call' || part.invalid) continue
    const guarded = guard.judge({ type: 'tool_call', name: part.name, args: part.args })
    if (guarded.type === 'tripped')
      return { verdict: 'guardrail', evidence: [], trip: guarded.trip }
  }
  return judgement
}

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
