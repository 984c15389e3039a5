/**
 * Safety: does a turn's verdict let its calls go on? Evidence in, verdict out. Only `complete` passes (I23); the model
 * layer has already taken the calls out of every other turn, so nothing here could bring them back.
 */
import type { Verdict } from '../event/decision.ts'
import type { Outcome } from '../outcome.ts'
import type { ModelTurn, SafetyEvidence } from '../turn.ts'

/** How a run ends on a turn that did not close positively; null if it did. */
export function safetyOutcome(turn: ModelTurn): Outcome | null {
  switch (turn.verdict) {
    case 'complete':
      return null
    case 'safety':
      return 'safety_stopped'
    case 'refusal':
      return 'refused'
    case 'length':
      return 'length_stopped'
    case 'interrupted':
      return 'interrupted'
    case 'error':
    case 'unknown_terminal':
      return 'failed'
  }
}

const count = (n: number): string => (n === 1 ? '1 tool call was' : `${n} tool calls were`)

/** A value is a provider's word; a long one is no word, and could be content. */
const evidenceText = ({ detector, field, value }: SafetyEvidence): string =>
  value.length <= 100 ? `${field}=${value}, ${detector}` : `${field}, ${detector}`

/** The sentence appended to a turn that did not close positively, under the same message id. Never content. */
export function explain(turn: ModelTurn): string | null {
  const calls = turn.suppressed.length
    ? ` ${count(turn.suppressed.length)} not executed, because the arguments may be cut off.`
    : ''
  const seen = turn.evidence[0]
  switch (turn.verdict) {
    case 'complete':
      return null
    case 'safety':
      return `[The provider stopped this answer for safety (${seen ? evidenceText(seen) : 'no detail'}).${calls}]`
    case 'refusal':
      return calls ? `[The model refused.${calls}]` : null
    case 'length':
      return `[The answer reached its length limit.${calls}]`
    case 'interrupted':
      return `[The provider's stream broke off.${calls}]`
    case 'error':
    case 'unknown_terminal':
      return `[The provider ended this answer with an error.${calls}]`
  }
}

/** The event an auditor finds for a turn that did not close positively; a plain refusal needs no explanation. */
export function safetyVerdict(turn: ModelTurn, n: number): readonly Verdict[] {
  const about = {
    turn: n,
    messageId: turn.message.id,
    calls: turn.suppressed,
    explanation: explain(turn) ?? '',
  }
  if (turn.verdict === 'complete') return []
  if (turn.verdict === 'safety') {
    const payload = { ...about, evidence: turn.evidence }
    return [{ type: 'safety.suppressed', payload, tool: null, verdict: 'suppressed' }]
  }
  const payload = { ...about, verdict: turn.verdict }
  return [{ type: 'turn.cut', payload, tool: null, verdict: turn.verdict }]
}
