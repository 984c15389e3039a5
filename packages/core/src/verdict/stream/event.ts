/** The events of stream guardrails that ended a run, or took something out of what is recorded. */
import type { Verdict } from '../../event/decision.ts'
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
