/** The words that stand in a conversation under an id, whole: the result of a call, or a message. */
import { type FoldableEvent, readFact } from '../event/upcast.ts'
import type { AssistantPart, ContentPart } from '../message.ts'
import { resultOf } from './result.ts'

/** The parts that have text, or stand for some. */
type SpokenPart = Extract<ContentPart, { readonly type: 'text' | 'blob' }>

/**
 * The newest result of a call, or message, of this id; null for none. What an event says to the model that is no fact (a denial) is short, and
 * is not looked for.
 */
export function spokenText(
  events: readonly FoldableEvent[],
  id: string,
): readonly SpokenPart[] | null {
  for (const event of events.toReversed()) {
    const found = spokenIn(event, id)
    if (found) return found
  }
  return null
}

function spokenIn(event: FoldableEvent, id: string): readonly SpokenPart[] | null {
  const fact = readFact(event)
  if (!fact) return null
  const result = resultOf(fact)
  if (result) return result.callId === id ? spokenParts(result.output.content) : null
  switch (fact.type) {
    case 'run.created': {
      const { input, history = [], edit } = fact.payload
      return messageIn([...history, ...input, ...(edit?.messages ?? [])], id)
    }
    case 'input.injected':
      return messageIn(fact.payload.messages, id)
    case 'model.completed': {
      const { verdict, message } = fact.payload.turn
      // An answer that was stopped for safety, or by a guardrail, is not read again.
      return readable.has(verdict) ? messageIn([message], id) : null
    }
    default:
      return null
  }
}

const readable: ReadonlySet<string> = new Set(['complete', 'length', 'interrupted'])

const messageIn = (
  messages: readonly { readonly id: string; readonly parts: readonly SaidPart[] }[],
  id: string,
): readonly SpokenPart[] | null => {
  const message = messages.find((each) => each.id === id)
  return message ? spokenParts(message.parts) : null
}

type SaidPart = AssistantPart | ContentPart

/** An image is seen, and not read. */
const spokenParts = (parts: readonly SaidPart[]): readonly SpokenPart[] =>
  parts.filter((part) => part.type === 'text' || part.type === 'blob')
