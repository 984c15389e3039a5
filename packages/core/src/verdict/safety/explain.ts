/** The words that an answer which did not close positively says about itself, under its own id. Never content. */
import type { ModelTurn, SafetyEvidence } from '../../turn.ts'
import { failureOf } from './failure.ts'

const count = (n: number): string => (n === 1 ? '1 tool call was' : `${n} tool calls were`)

/** A value is a provider's word; a long one is no word, and could be content. */
const evidenceText = ({ detector, field, value }: SafetyEvidence): string =>
  value.length <= 100 ? `${field}=${value}, ${detector}` : `${field}, ${detector}`

/** Is there anything to read in the answer? */
export const isVisible = (turn: ModelTurn): boolean =>
  turn.message.parts.some(
    (part) => (part.type === 'text' && part.text.trim() !== '') || part.type === 'blob',
  )

/** The sentence appended to the answer; null where the answer stands as it is. */
export function explainSafety(turn: ModelTurn): string | null {
  const calls = turn.suppressed.length
    ? ` ${count(turn.suppressed.length)} not executed, because the arguments may be cut off.`
    : ''
  switch (turn.verdict) {
    case 'complete':
      return null
    case 'safety':
      return safetyText(turn, calls)
    case 'refusal':
      return calls || !isVisible(turn) ? `[The model refused.${calls}]` : null
    case 'guardrail':
      return guardrailText(turn)
    case 'length':
      return `[The answer reached its length limit.${calls}]`
    case 'interrupted':
      return `[${causeOf(turn, "The provider's stream broke off")}.${calls}]`
    case 'error':
    case 'unknown_terminal':
      return `[${causeOf(turn, 'The provider ended this answer with an error')}.${calls}]`
  }
}

/** A fact of an older build does not name its cause: then the general sentence stands. */
function causeOf(turn: ModelTurn, general: string): string {
  const failure = failureOf(turn)
  if (!failure) return general
  return turn.verdict === 'interrupted'
    ? `${general}: ${failure.message}`
    : `The model could not answer: ${failure.message}`
}

/** A partial answer without calls is left as it came, to the byte. */
function safetyText(turn: ModelTurn, calls: string): string | null {
  if (!calls && isVisible(turn)) return null
  const seen = turn.evidence[0]
  const nothing = isVisible(turn) ? '' : ' It returned no content.'
  const detail = seen ? evidenceText(seen) : 'no detail'
  return `[The provider stopped this answer for safety (${detail}).${nothing}${calls} Rephrasing the request may help.]`
}

/** Its calls may have been whole: nothing is said of why they did not run but the guardrail. */
function guardrailText({ trip, suppressed }: ModelTurn): string {
  const calls = suppressed.length > 0 ? ` ${count(suppressed.length)} not executed.` : ''
  return `[A guardrail (${trip?.guardrail.name ?? 'unnamed'}) stopped this answer.${calls}]`
}
