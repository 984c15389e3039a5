/** The events of stream guardrails that ended a run, or took something out of what is recorded. */
import type { Verdict } from '../../event/decision.ts'
import { limits } from '../../limits.ts'
import type { ModelTurn, Redaction } from '../../turn.ts'
import { explainSafety } from '../safety/explain.ts'

/** `guardrail.stopped` for a turn that a guardrail ended and nothing corrects any more; nothing for other turns. */
export function guardrailStopped(
  at: { readonly turn: number; readonly corrections: number },
  turn: ModelTurn,
): readonly Verdict[] {
  const { trip } = turn
  if (turn.verdict !== 'guardrail' || !trip) return []
  const payload = {
    turn: at.turn,
    corrections: at.corrections,
    messageId: turn.message.id,
    trip,
    calls: turn.suppressed,
    explanation: explainSafety(turn) ?? '',
  }
  return [{ type: 'guardrail.stopped', payload, tool: null, verdict: trip.guardrail.id }]
}

/** `guardrail.redacted`, one for each guardrail, kind and place. */
export const redacted = (
  { turn }: { readonly turn: number },
  redactions: readonly Redaction[] = [],
): readonly Verdict[] =>
  redactions.map((redaction) => ({
    type: 'guardrail.redacted',
    payload: { turn, ...redaction },
    tool: redaction.tool ?? null,
    verdict: redaction.guardrail.id,
  }))

/**
 * At most `limits.redactionsMax` of them, and none is lost: where there are more, those of one guardrail, kind and place are one, and
 * then those of one guardrail and place, of the kind `several`.
 */
export function boundedRedactions(redactions: readonly Redaction[]): readonly Redaction[] {
  if (redactions.length <= limits.redactionsMax) return redactions
  const byKind = merged(redactions, ({ guardrail, kind, place }) => ({ guardrail, kind, place }))
  if (byKind.length <= limits.redactionsMax) return byKind
  const several = merged(byKind, ({ guardrail, place }) => ({ guardrail, kind: 'several', place }))
  return several.slice(0, limits.redactionsMax)
}

function merged(
  redactions: readonly Redaction[],
  about: (redaction: Redaction) => Omit<Redaction, 'count'>,
): readonly Redaction[] {
  const found = new Map<string, Redaction>()
  for (const redaction of redactions) {
    const said = about(redaction)
    const key = `${said.guardrail.id}\u0000${said.kind}\u0000${said.place}`
    found.set(key, { ...said, count: redaction.count + (found.get(key)?.count ?? 0) })
  }
  return [...found.values()]
}
