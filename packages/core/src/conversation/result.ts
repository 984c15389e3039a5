/** Results of calls as the model reads them: exactly one per call, whatever became of it (I24). */
import type { Fact, FactPayload } from '../event/fact.ts'
import { limits } from '../limits.ts'
import type { ToolOutput } from '../message.ts'

const say = (text: string, isError: boolean): ToolOutput => ({
  content: [{ type: 'text', text }],
  isError,
})

const clip = (text: string): string =>
  text.length <= limits.errorCharsToModelMax
    ? text
    : `${text.slice(0, limits.errorCharsToModelMax)}…`

/** The result of a call that a decision settled. */
export const settledResult = (text: string): ToolOutput => say(text, false)

export const deniedResult = (code: string, message: string): ToolOutput =>
  say(`Error: this call was not executed (${code}). ${clip(message)}`, true)

/** A call whose run ended before a result came: what later runs of the thread read. */
export const missingResult: ToolOutput = say(
  'Error: this call has no result; the run ended before it settled.',
  true,
)

/** What a fact says about the result of the call it names; null if it says nothing final. */
export function resultOf(
  fact: Fact,
): { readonly callId: string; readonly output: ToolOutput } | null {
  const output = outputOf(fact)
  const callId = 'callId' in fact.payload ? fact.payload.callId : undefined
  return output && callId !== undefined ? { callId, output } : null
}

function outputOf(fact: Fact): ToolOutput | null {
  switch (fact.type) {
    case 'tool.completed':
    case 'child.ended':
    case 'input.answered':
      return fact.payload.output
    case 'tool.failed': {
      const { code, message } = fact.payload.error
      return say(`Error: the tool failed (${code}). ${clip(message)}`, true)
    }
    case 'tool.denied': {
      const [reason] = fact.payload.answer.reasons
      const { code, message } = reason ?? { code: 'oap.denied', message: 'denied by a policy' }
      return deniedResult(code, message)
    }
    case 'tool.aborted':
      return say('Error: this call was cancelled.', true)
    case 'tool.unknown':
      return say(
        'Error: the outcome of this call is unknown: it may or may not have happened. Check before repeating it.',
        true,
      )
    case 'budget.refused': {
      const { budget } = fact.payload
      return say(`Error: this call was not executed: the budget of ${budget} is used up.`, true)
    }
    case 'recall.missed':
      return say('Error: this call was not executed: it was never recorded.', true)
    case 'tool.resolved':
      return resolvedOutput(fact.payload)
    default:
      return null
  }
}

function resolvedOutput({
  resolution,
  output,
  note,
}: FactPayload<'tool.resolved'>): ToolOutput | null {
  const because = note ? ` Note: ${clip(note)}` : ''
  switch (resolution) {
    case 'retry':
      return null
    case 'happened':
      return output ?? say(`An operator confirmed that this call happened.${because}`, false)
    case 'not_happened':
      return say(`Error: an operator confirmed that this call did not happen.${because}`, true)
  }
}
