/**
 * Safety: does a turn's verdict let its calls go on? Evidence in (the turn, as the model layer saw it), verdict out. Only
 * `complete` passes (I23); the model layer has already taken the calls out of every other turn, so nothing here could
 * bring them back.
 */
import type { Outcome } from '../../outcome.ts'
import type { ModelTurn } from '../../turn.ts'

/** How a run ends on a turn that did not close positively; null if it did. */
export function safetyOutcome(turn: ModelTurn): Outcome | null {
  switch (turn.verdict) {
    case 'complete':
      return null
    case 'safety':
      return 'safety_stopped'
    case 'refusal':
      return 'refused'
    case 'guardrail':
      return 'guardrail_stopped'
    case 'length':
      return 'length_stopped'
    case 'interrupted':
      return 'interrupted'
    case 'error':
    case 'unknown_terminal':
      return 'failed'
  }
}
