/** Messages of a thread in AG-UI's words, whole and as the events that bring a client from one to the next. */
import { type ChatMessage, type ChatContent, chatWords } from '../../langgraph/messages.ts'
import type { AgUiContent, AgUiEvent, AgUiMessage, SentMessage } from '../event.ts'
import { isContext } from '../new-messages.ts'

/** A message of the history. */
function agUiMessage(message: ChatMessage): AgUiMessage {
  const { id } = message
  switch (message.type) {
    case 'human':
      return { id, role: 'user', content: agUiContent(message.content) }
    case 'system':
      return { id, role: 'system', content: chatWords(message) }
    case 'tool': {
      const content = agUiContent(message.content)
      const error = message.status === 'error' ? { error: chatWords(message) } : {}
      return { id, role: 'tool', toolCallId: message.tool_call_id, content, ...error }
    }
    case 'ai': {
      const { content } = message
      const toolCalls = message.tool_calls.map(({ id: callId, name, args }) => ({
        id: callId,
        type: 'function' as const,
        function: { name, arguments: JSON.stringify(args) },
      }))
      const said = content === '' ? {} : { content }
      return { id, role: 'assistant', ...said, ...(toolCalls.length > 0 ? { toolCalls } : {}) }
    }
  }
}

const agUiContent = (content: ChatContent): AgUiContent =>
  typeof content === 'string'
    ? content
    : content.map((block) =>
        block.type === 'text'
          ? block
          : { type: 'image', source: { type: 'url', value: block.image_url.url } },
      )

/** All messages of the thread. What the client has sent stands as it sent it: with its parts, and the role it gave. */
export const messagesSnapshot = (
  messages: readonly ChatMessage[],
  sent: ReadonlyMap<string, SentMessage>,
): AgUiEvent => ({
  type: 'MESSAGES_SNAPSHOT',
  messages: messages
    .filter((message) => !isContext(message))
    .map((message) => {
      const own =
        message.type === 'human' || message.type === 'system' ? sent.get(message.id) : null
      return own ?? agUiMessage(message)
    }),
})

/** A piece of text, in a message that is opened and closed for it. */
const saying = (messageId: string, delta: string): readonly AgUiEvent[] => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
  { type: 'TEXT_MESSAGE_END', messageId },
]

type Ai = Extract<ChatMessage, { type: 'ai' }>
type Call = Ai['tool_calls'][number]

const calling = ({ id, name, args }: Call, parentMessageId: string): readonly AgUiEvent[] => [
  { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, parentMessageId },
  { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: JSON.stringify(args) },
  { type: 'TOOL_CALL_END', toolCallId: id },
]

/**
 * What brings a client from one message to the next; null where nothing but a snapshot can. Arguments that a human has
 * edited are no news: the protocol leaves the call as it was asked for, and the answer to the interrupt says the rest.
 */
export function continued(
  before: ChatMessage | undefined,
  now: ChatMessage,
): readonly AgUiEvent[] | null {
  if (now.type === 'tool') return before === undefined ? [resultOf(now)] : null
  // Whoever sent it has it.
  if (now.type !== 'ai') return []
  if (before !== undefined && before.type !== 'ai') return null
  const had = before ?? { content: '', tool_calls: [] }
  const ids = new Set(now.tool_calls.map(({ id }) => id))
  if (!now.content.startsWith(had.content) || had.tool_calls.some(({ id }) => !ids.has(id)))
    return null
  const rest = now.content.slice(had.content.length)
  const known = new Set(had.tool_calls.map(({ id }) => id))
  return [
    ...(rest === '' ? [] : saying(now.id, rest)),
    ...now.tool_calls.filter(({ id }) => !known.has(id)).flatMap((call) => calling(call, now.id)),
  ]
}

const resultOf = (message: Extract<ChatMessage, { type: 'tool' }>): AgUiEvent => ({
  type: 'TOOL_CALL_RESULT',
  messageId: message.id,
  toolCallId: message.tool_call_id,
  role: 'tool',
  content: agUiContent(message.content),
  ...(message.status === 'error' ? { metadata: { signalbox: { is_error: true } } } : {}),
})
