/**
 * Messages in pieces. The pieces of a message, joined by its id as LangChain joins them, are the message: text is appended,
 * everything else comes once. A message that is withdrawn is removed by LangChain's word for that, and begins anew.
 */
import type { AiMessage, ChatMessage } from '../messages.ts'

/** Text of a message while it is written. */
export const textChunk = (id: string, content: string) => ({
  type: 'AIMessageChunk',
  id,
  content,
  additional_kwargs: {},
  response_metadata: {},
  tool_calls: [],
  invalid_tool_calls: [],
  tool_call_chunks: [],
})

/** The end of a message: text that was not shown yet, its calls, and what is known of it now. */
export const lastChunk = (message: AiMessage, content: string) => ({
  ...message,
  type: 'AIMessageChunk',
  content,
  // As pieces too: that is how the models of LangChain stream calls.
  tool_call_chunks: message.tool_calls.map(({ id, name, args }, index) => ({
    type: 'tool_call_chunk',
    id,
    name,
    args: JSON.stringify(args),
    index,
  })),
})

/** LangChain's RemoveMessage: what the client has of the message is withdrawn. */
export const removal = (id: string) => ({
  type: 'remove',
  id,
  content: '',
  additional_kwargs: {},
  response_metadata: {},
})

/** Text of a message as a whole, while it is written. */
export const partial = (id: string, content: string): ChatMessage => ({
  type: 'ai',
  id,
  content,
  additional_kwargs: {},
  response_metadata: {},
  tool_calls: [],
  invalid_tool_calls: [],
})
