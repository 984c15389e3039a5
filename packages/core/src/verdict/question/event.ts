/** The events of questions, and the timer that ends one nobody answers. */
import type { AgentDefinition } from '../../definition.ts'
import type { Timer } from '../../effect.ts'
import type { Verdict } from '../../event/decision.ts'
import { kindOf, type QuestionSpec, questionToolName } from '../../question/spec.ts'

const timerPrefix = 'input:'

/** The timer of a question, and the call it is about. */
export const questionTimer = (callId: string): string => `${timerPrefix}${callId}`

/** The call a question's timer is about; null for another timer. */
export const askingCall = (timerId: string): string | null =>
  timerId.startsWith(timerPrefix) ? timerId.slice(timerPrefix.length) : null

const waitsMs = ({ clarification }: AgentDefinition): number => clarification?.expiresMs ?? 0

/** The timer that ends the question when nobody has answered. */
export const questionExpiry = (agent: AgentDefinition, callId: string): Timer => ({
  id: questionTimer(callId),
  afterMs: waitsMs(agent),
})

/** `input.requested`: somebody is asked, until `expiresAt`. */
export function inputRequested(
  agent: AgentDefinition,
  about: {
    readonly callId: string
    readonly argsHash: string
    readonly turn: number
    readonly at: number
  },
  asked: QuestionSpec,
): Verdict {
  const { at, ...call } = about
  return {
    type: 'input.requested',
    payload: { ...call, kind: kindOf(asked), ...asked, expiresAt: at + waitsMs(agent) },
    tool: questionToolName,
    verdict: 'asked',
  }
}

/** The result of a question that nobody answered, for the model. */
export const unansweredText =
  'Nobody answered in time. Go on with assumptions, and say in your answer what you assumed.'

/** `input.expired`: nobody answered. */
export const inputExpired = (callId: string): Verdict => ({
  type: 'input.expired',
  payload: { callId, text: unansweredText },
  tool: questionToolName,
  verdict: 'expired',
})
