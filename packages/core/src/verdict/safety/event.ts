/** The event an auditor finds for a turn that did not close positively. */
import type { AgentDefinition } from '../../definition.ts'
import type { Verdict } from '../../event/decision.ts'
import type { ModelTurn } from '../../turn.ts'
import { explainSafety } from './explain.ts'
import { failureOf } from './failure.ts'

/** `safety.suppressed` for a safety stop, `turn.cut` for every other end that is not positive; never arguments. */
export function safetyVerdict(
  agent: AgentDefinition,
  turn: ModelTurn,
  n: number,
): readonly Verdict[] {
  const about = {
    turn: n,
    messageId: turn.message.id,
    calls: turn.suppressed,
    explanation: explainSafety(turn) ?? '',
  }
  if (turn.verdict === 'complete' || turn.verdict === 'guardrail') return []
  const context = agent.safety.afterRefusal
  if (turn.verdict === 'safety') {
    const payload = { ...about, evidence: turn.evidence, context }
    return [{ type: 'safety.suppressed', payload, tool: null, verdict: 'suppressed' }]
  }
  const kept = turn.verdict === 'refusal' ? context : 'keep'
  const reason = turn.cut ? { reason: turn.cut } : {}
  const failure = failureOf(turn)
  const error = failure ? { error: failure } : {}
  const payload = { ...about, verdict: turn.verdict, context: kept, ...reason, ...error }
  return [{ type: 'turn.cut', payload, tool: null, verdict: turn.verdict }]
}
