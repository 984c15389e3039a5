/** The events of stream guardrails that ended a run, or took something out of what is recorded. */
import type { Verdict } from '../../event/decision.ts'
import type { RunContext } from '../../machine/context.ts'
import type { ModelTurn, Redaction } from '../../turn.ts'
import { explain } from '../safety/explain.ts'

/** `guardrail.stopped` for a turn that a guardrail ended and nothing corrects any more; nothing for other turns. */
export function guardrailStopped(context: RunContext, turn: ModelTurn): readonly Verdict[] {
  const { trip } = turn
  if (turn.verdict !== 'guardrail' || !trip) return []
  const payload = {
    turn: context.turn,
    corrections: context.corrections,
    messageId: turn.message.id,
    trip,
    calls: turn.suppressed,
    explanation: explain(turn) ?? '',
  }
  return [{ type: 'guardrail.stopped', payload, tool: null, verdict: trip.guardrail.id }]
}

/** `guardrail.redacted`, one for each guardrail, kind and place. */
export const redacted = (
  { turn }: Pick<RunContext, 'turn'>,
  redactions: readonly Redaction[] = [],
): readonly Verdict[] =>
  redactions.map((redaction) => ({
    type: 'guardrail.redacted',
    payload: { turn, ...redaction },
    tool: redaction.tool ?? null,
    verdict: redaction.guardrail.id,
  }))
