/** Results of calls as the model reads them: exactly one per call, whatever became of it (I24). */
import type { Fact } from '../event/fact.ts'
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
  switch (fact.type) {
    case 'tool.completed':
    case 'child.ended':
    case 'input.answered':
      return { callId: fact.payload.callId, output: fact.payload.output }
    case 'tool.failed': {
      const { callId, error } = fact.payload
      return {
        callId,
        output: say(`Error: the tool failed (${error.code}). ${clip(error.message)}`, true),
      }
    }
    case 'tool.denied': {
      const [reason] = fact.payload.answer.reasons
      const { code, message } = reason ?? { code: 'oap.denied', message: 'denied by a policy' }
      return { callId: fact.payload.callId, output: deniedResult(code, message) }
    }
    case 'tool.aborted':
      return { callId: fact.payload.callId, output: say('Error: this call was cancelled.', true) }
    case 'tool.unknown':
      return {
        callId: fact.payload.callId,
        output: say(
          'Error: the outcome of this call is unknown: it may or may not have happened. Check before repeating it.',
          true,
        ),
      }
    case 'budget.refused': {
      const { callId, budget } = fact.payload
      const text = `Error: this call was not executed: the budget of ${budget} is used up.`
      return callId === undefined ? null : { callId, output: say(text, true) }
    }
    case 'recall.missed':
      return {
        callId: fact.payload.callId,
        output: say('Error: this call was not executed: it was never recorded.', true),
      }
    case 'tool.resolved':
      return resolvedResult(fact)
    default:
      return null
  }
}

function resolvedResult(
  fact: Extract<Fact, { type: 'tool.resolved' }>,
): { readonly callId: string; readonly output: ToolOutput } | null {
  const { callId, resolution, output, note } = fact.payload
  const because = note ? ` Note: ${clip(note)}` : ''
  switch (resolution) {
    case 'retry':
      return null
    case 'happened':
      return {
        callId,
        output: output ?? say(`An operator confirmed that this call happened.${because}`, false),
      }
    case 'not_happened':
      return {
        callId,
        output: say(`Error: an operator confirmed that this call did not happen.${because}`, true),
      }
  }
}
