/** What a run has come to: its messages, and its outcome. The answer of `wait` and `join`. */
import { z } from '@hono/zod-openapi'
import { decisionTexts } from './explanations.ts'
import { ContentPart, ModelTurn, Outcome, UserMessage } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { Run } from './run-view.ts'

export const Message = z.object({
  id: z.string(),
  /** LangChain's word for the role. */
  type: z.enum(['human', 'system', 'ai']),
  role: z.enum(['user', 'system', 'assistant']),
  content: z.string(),
})
export type Message = z.infer<typeof Message>

export const Values = z
  .object({
    messages: z.array(Message),
    outcome: Outcome.nullable(),
    run: Run,
    /** Present when the run ended in error, or was not done within the time to wait. */
    __error__: z.object({ error: z.string(), message: z.string() }).optional(),
    /** Present when the run waits for a human. */
    __interrupt__: z.array(z.object({ id: z.string(), value: z.unknown() })).optional(),
  })
  .openapi('Values')
export type Values = z.infer<typeof Values>

const Created = z.object({ input: z.array(UserMessage) })
const Completed = z.object({ turn: ModelTurn })

/** Folds the events of a run into its messages. A retry of a turn replaces what the attempt before had said. */
export function messagesOfRun(events: readonly StoredEvent[]): Message[] {
  const messages = new Map<string, Message>()
  for (const event of events) {
    if (event.type === 'run.created')
      for (const message of userMessages(event)) messages.set(message.id, message)
    if (event.type === 'model.completed') {
      const { message } = Completed.parse(event.payload).turn
      messages.delete(message.id)
      messages.set(message.id, answer(message.id, textOf(message.parts.filter(isContent))))
    }
    const said = decisionTexts(event)
    // A verdict may speak for a message that was never begun.
    const before = said && messages.get(said.messageId)?.content
    if (said) messages.set(said.messageId, answer(said.messageId, joined(before ?? '', said.text)))
  }
  return [...messages.values()].filter((message) => message.content !== '')
}

const answer = (id: string, content: string): Message => ({
  id,
  type: 'ai',
  role: 'assistant',
  content,
})

function userMessages(event: StoredEvent): readonly Message[] {
  return Created.parse(event.payload).input.map(({ id, role, parts }) => ({
    id,
    type: role === 'user' ? 'human' : 'system',
    role,
    content: textOf(parts),
  }))
}

const isContent = (part: { readonly type: string }): part is ContentPart =>
  part.type === 'text' || part.type === 'blob'

const textOf = (parts: readonly ContentPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : part.preview)).join('')

const joined = (text: string, more: string): string => (text === '' ? more : `${text}\n\n${more}`)
