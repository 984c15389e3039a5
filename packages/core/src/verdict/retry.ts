/**
 * Retry: may a model call that did not close positively be made again? Nothing of such a turn was executed, so a
 * repetition is safe; a safety stop is never repeated. The delay is data: exponential, capped, and never shorter than
 * what the provider asked for. Jitter is the shell's, which knows chance.
 */
import type { AgentDefinition } from '../definition.ts'
import type { Verdict } from '../event/decision.ts'
import type { ModelTurn } from '../turn.ts'

export interface Retry {
  readonly delayMs: number
  readonly class: string
  readonly message: string
}

export function retryOf(agent: AgentDefinition, turn: ModelTurn, retries: number): Retry | null {
  if (turn.verdict !== 'error' && turn.verdict !== 'interrupted') return null
  if (turn.error && !turn.error.retryable) return null
  const { max, baseMs, capMs } = agent.modelRetries
  if (retries >= max) return null
  const backoff = Math.min(capMs, baseMs * 2 ** retries)
  return {
    delayMs: Math.max(backoff, turn.error?.retryAfterMs ?? 0),
    class: turn.error?.class ?? 'network',
    message: turn.error?.message ?? 'the stream ended without a completion signal',
  }
}

export const retryVerdict = (retry: Retry, turn: number, n: number): Verdict => ({
  type: 'model.retried',
  payload: { turn, retry: n, ...retry },
  tool: null,
  verdict: retry.class,
})
