/** Chats of the AI SDK's own client, and what came over the wire to them. */
import { Chat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai'

export interface Page {
  readonly chat: Chat<UIMessage>
  /** Every part that was received, each checked by the schema of the SDK. */
  readonly chunks: UIMessageChunk[]
  readonly responses: Response[]
  /** The last error that the client was told of. */
  readonly error: () => Error | undefined
  /** The answer of the assistant, as the client has it. */
  readonly answer: () => UIMessage
}

export interface PageOptions {
  readonly id: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sends answers to approvals by itself, as pages do. */
  readonly automatic?: boolean
  readonly messages?: readonly UIMessage[]
  /** Resumes the message by its id, even if it is complete. */
  readonly byMessage?: boolean
}

/** A chat with an agent of the server. */
export function openPage(api: string, agent: string, options: PageOptions): Page {
  const { id, headers, automatic, byMessage, messages = [] } = options
  const chunks: UIMessageChunk[] = []
  const responses: Response[] = []
  const url = `${api}/chat/${agent}`
  const chat: Chat<UIMessage> = new Chat({
    id,
    messages: [...messages],
    transport: new DefaultChatTransport({
      api: url,
      ...(headers ? { headers } : {}),
      ...(byMessage
        ? {
            prepareReconnectToStreamRequest: () => ({
              api: `${url}/${encodeURIComponent(id)}/stream?message_id=${chat.lastMessage?.id ?? ''}`,
            }),
          }
        : {}),
      fetch: recording(chunks, responses),
    }),
    ...(automatic
      ? { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses }
      : {}),
  })
  const answer = () => {
    const last = chat.lastMessage
    if (last?.role !== 'assistant') throw new Error('nothing was answered')
    return last
  }
  return { chat, chunks, responses, answer, error: () => chat.error }
}

/** A `fetch` that writes down the parts of every stream. A stream that breaks off is written down as far as it came. */
function recording(chunks: UIMessageChunk[], responses: Response[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    responses.push(response)
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    if (!response.body || !isStream) return response
    const [mine, theirs] = response.body.tee()
    void record(mine, chunks)
    const { status, headers } = response
    return new Response(theirs, { status, headers })
  }
}

async function record(stream: ReadableStream<Uint8Array>, chunks: UIMessageChunk[]): Promise<void> {
  try {
    const parts = parseJsonEventStream({ stream, schema: uiMessageChunkSchema })
    for await (const part of parts) {
      if (!part.success) throw new Error('no part of the protocol', { cause: part.error })
      chunks.push(part.value)
    }
  } catch (error) {
    if (error instanceof Error && error.message === 'no part of the protocol') throw error
  }
}

/** The message of a stream, put together by the SDK. */
export async function readMessage(response: Response): Promise<UIMessage> {
  if (!response.body) throw new Error('no stream')
  const parts = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema })
  const stream = parts.pipeThrough(
    new TransformStream({
      transform(part, controller) {
        if (!part.success) throw part.error
        controller.enqueue(part.value)
      },
    }),
  )
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream })) last = message
  if (!last) throw new Error('no message')
  return last
}

/** What a message says, in order: the types of its parts, with the states of its calls. */
export const outline = ({ parts }: UIMessage): readonly string[] =>
  parts.map((part) =>
    'state' in part && part.type !== 'text' ? `${part.type} ${part.state}` : part.type,
  )

/** The texts of a message, joined. */
export const textOf = ({ parts }: UIMessage): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** The parts of a message that are calls. */
// Tests look into parts freely; what the client makes of them is what is tested.
// oxlint-disable-next-line typescript/no-explicit-any
export const callsOf = ({ parts }: UIMessage): readonly any[] =>
  parts.filter(({ type }) => type.startsWith('tool-'))
