/**
 * Messages as LangChain shows them, folded from events. The same events give the same messages, wherever they are shown:
 * in states, in the answer of a wait, on a stream.
 *
 * A message has one id, whatever becomes of it: a retry of a turn replaces what the attempt before had said. Calls stand in
 * it only after the verdict (I23), as a human changed them, and never if they were taken out again.
 */
import { z } from '@hono/zod-openapi'
import {
  type ContentPart,
  decisionSchemas,
  type EditMessage,
  type FactPayload,
  type ModelTurn,
  readFact,
  decidedResult,
  type ImagePart,
  imagesOf,
  partWords,
  resultOf,
  type ToolOutput,
  type UserMessage,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { sentenceOf } from '@signalbox/core'
import { imageAddress } from '../../http/wire/image-address.ts'

/** A text, or an image at an address of this API, in the place where it stands. */
const ContentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
])

/** A text; of what shows an image, a list. */
const ChatContent = z.union([z.string(), z.array(ContentBlock)])
export type ChatContent = z.infer<typeof ChatContent>

const said = {
  id: z.string(),
  additional_kwargs: z.record(z.string(), z.unknown()),
  response_metadata: z.record(z.string(), z.unknown()),
}

const ToolCall = z.object({
  type: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
})

const UsageMetadata = z.object({
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  total_tokens: z.number().int(),
  input_token_details: z
    .object({ cache_read: z.number().int(), cache_creation: z.number().int().optional() })
    .optional(),
  output_token_details: z.object({ reasoning: z.number().int() }).optional(),
})

const HumanMessage = z.object({
  type: z.enum(['human', 'system']),
  ...said,
  content: ChatContent,
})
const AiMessage = z.object({
  type: z.literal('ai'),
  ...said,
  content: z.string(),
  tool_calls: z.array(ToolCall),
  invalid_tool_calls: z.array(z.unknown()),
  usage_metadata: UsageMetadata.optional(),
})
const ToolMessage = z.object({
  type: z.literal('tool'),
  ...said,
  content: ChatContent,
  name: z.string(),
  tool_call_id: z.string(),
  status: z.enum(['success', 'error']),
  /** The structured result, if the tool gave one. */
  artifact: z.record(z.string(), z.unknown()).nullable(),
})

/** A message in LangChain's words. */
export const ChatMessage = z
  .discriminatedUnion('type', [HumanMessage, AiMessage, ToolMessage])
  .openapi('Message')
export type ChatMessage = z.infer<typeof ChatMessage>
export type AiMessage = z.infer<typeof AiMessage>

const nothing = () => ({ additional_kwargs: {}, response_metadata: {} })

/** The texts of parts; of a blob its preview. */
const textOf = (parts: readonly ContentPart[]): string => parts.map(partWords).join('')

/** The same where an image stands among them: each text and each image in its place. */
function contentOf(parts: readonly ContentPart[], threadId: string): ChatContent {
  if (!parts.some(({ type }) => type === 'image')) return textOf(parts)
  return parts.map((part) =>
    part.type === 'image'
      ? { type: 'image_url', image_url: { url: imageAddress(threadId, part) } }
      : { type: 'text', text: partWords(part) },
  )
}

/** The texts of a message. */
export const chatWords = ({ content }: { readonly content: ChatContent }): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')

/** The addresses of the images of a message, in order. */
export const imagesOfMessage = ({
  content,
}: {
  readonly content: ChatContent
}): readonly string[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((block) => (block.type === 'image_url' ? [block.image_url.url] : []))

/** What the model said in a turn, before any verdict spoke for it. */
function aiMessage(turn: ModelTurn): AiMessage {
  const { parts, id } = turn.message
  const calls = turn.verdict === 'complete' ? parts.filter((part) => part.type === 'tool_call') : []
  return {
    type: 'ai',
    id,
    content: textOf(parts.filter((part) => part.type === 'text' || part.type === 'blob')),
    additional_kwargs: {},
    response_metadata: {
      model_name: turn.model,
      model_provider: turn.provider,
      ...(turn.finish ? { finish_reason: turn.finish.raw ?? turn.finish.unified } : {}),
    },
    tool_calls: calls.map((call) => ({
      type: 'tool_call',
      id: call.id,
      name: call.name,
      args: call.args,
    })),
    invalid_tool_calls: [],
    ...usageOf(turn),
  }
}

function usageOf({ usage }: ModelTurn): Pick<AiMessage, 'usage_metadata'> {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage
  if (inputTokens === undefined && outputTokens === undefined) return {}
  const [input_tokens, output_tokens] = [inputTokens ?? 0, outputTokens ?? 0]
  const cached = {
    input_token_details: {
      cache_read: cachedInputTokens ?? 0,
      ...(cacheWriteTokens === undefined ? {} : { cache_creation: cacheWriteTokens }),
    },
  }
  const reasoning = { output_token_details: { reasoning: reasoningTokens ?? 0 } }
  return {
    usage_metadata: {
      input_tokens,
      output_tokens,
      total_tokens: input_tokens + output_tokens,
      ...(cachedInputTokens === undefined && cacheWriteTokens === undefined ? {} : cached),
      ...(reasoningTokens === undefined ? {} : reasoning),
    },
  }
}

/** Folds events into messages, in order. Messages are replaced, never changed: what was listed once stays as it is. */
export class ChatMessages {
  readonly #messages = new Map<string, ChatMessage>()
  /** The message that asked for a call. */
  readonly #askedBy = new Map<string, string>()
  /** Said to the run at hand by the events of these numbers, and not shown to the model yet. */
  #waiting: { readonly event: StoredEvent; readonly messages: readonly UserMessage[] }[] = []

  /** Folds an event; of what is no part of a conversation, nothing. */
  take(event: StoredEvent): void {
    // Erased: nobody knows what was said.
    if (event.salt === '') return
    const speech = sentenceOf(event)
    if (speech) return this.#speak(speech.messageId, speech.text)
    if (event.type === 'call.denied') {
      const { callId, code, message } = decisionSchemas['call.denied'].parse(event.payload)
      const text = `Error: this call was not executed (${code}). ${message}`
      return this.#answer(event, callId, { content: [{ type: 'text', text }], isError: true })
    }
    const settled = decidedResult(event)
    if (settled) return this.#answer(event, settled.callId, settled.output)
    if (event.type === 'input.taken' || event.type === 'input.left')
      return this.#hear(decisionSchemas[event.type].parse(event.payload).through)
    const fact = readFact(event)
    if (fact?.type === 'run.created') return this.#begin(event, fact.payload)
    if (fact?.type === 'input.injected') {
      this.#waiting.push({ event, messages: fact.payload.messages })
      return
    }
    if (fact?.type === 'model.completed') return this.#say(fact.payload.turn)
    if (fact?.type === 'approval.answered') return this.#edit(fact.payload)
    const result = fact && resultOf(fact)
    if (result) this.#answer(event, result.callId, result.output)
  }

  /** What was said so far. A message that says nothing is not there. */
  list(): ChatMessage[] {
    return [...this.#messages.values()].filter(
      (message) =>
        message.content !== '' ||
        message.type === 'tool' ||
        (message.type === 'ai' && message.tool_calls.length > 0),
    )
  }

  /** The arguments of a call as they stand; null if nobody asked for it. */
  argsOf(callId: string): Record<string, unknown> | null {
    return this.#callOf(callId)?.args ?? null
  }

  #callOf(callId: string) {
    const asking = this.#messages.get(this.#askedBy.get(callId) ?? '')
    return asking?.type === 'ai' ? asking.tool_calls.find(({ id }) => id === callId) : undefined
  }

  #begin(
    event: StoredEvent,
    { input, edit, base, history = [], files }: FactPayload<'run.created'>,
  ): void {
    // As in the prompt: what a faulted run did not take was said all the same.
    if (!base) this.#hear(Infinity)
    this.#waiting = []
    this.#speakAll(event, history)
    this.#speakAll(event, edit?.messages ?? input)
    if (!edit && files) this.#show(event, input, imagesOf(files))
  }

  /** The images that came with the words of a run stand behind the last of them. */
  #show(
    { threadId }: StoredEvent,
    input: readonly UserMessage[],
    images: readonly ImagePart[],
  ): void {
    const last = input.at(-1)
    const message = this.#messages.get(last?.id ?? '')
    if (!last || !message || message.type === 'ai' || images.length === 0) return
    const content = contentOf([...last.parts, ...images], threadId)
    this.#messages.set(message.id, { ...message, content })
  }

  /** What was said to the run up to this event stands here from now on. */
  #hear(through: number): void {
    for (const { event, messages } of this.#waiting)
      if (event.seq <= through) this.#speakAll(event, messages)
    this.#waiting = this.#waiting.filter(({ event }) => event.seq > through)
  }

  #speakAll({ threadId }: StoredEvent, words: readonly EditMessage[]): void {
    for (const { id, role, parts } of words) {
      if (role === 'assistant') this.#messages.set(id, { ...silent(id), content: textOf(parts) })
      else
        this.#messages.set(id, {
          type: role === 'user' ? 'human' : 'system',
          id,
          content: contentOf(parts, threadId),
          ...nothing(),
        })
    }
  }

  #say(turn: ModelTurn): void {
    const message = aiMessage(turn)
    for (const { id } of message.tool_calls) this.#askedBy.set(id, message.id)
    this.#messages.delete(message.id)
    this.#messages.set(message.id, message)
  }

  /** A verdict speaks for the message, in the place of its calls. It may speak for one that was never begun. */
  #speak(id: string, text: string): void {
    const before = this.#messages.get(id)
    const begun: ChatMessage = before?.type === 'ai' ? before : silent(id)
    const content = begun.content === '' ? text : `${begun.content}\n\n${text}`
    this.#messages.set(id, { ...begun, content, tool_calls: [] })
  }

  #edit({ callId, decision, edited }: FactPayload<'approval.answered'>): void {
    const asking = this.#messages.get(this.#askedBy.get(callId) ?? '')
    // Of a call that has its result already, the answer came too late.
    if (decision !== 'edit' || !edited || this.#messages.has(resultId(callId))) return
    if (asking?.type !== 'ai') return
    const tool_calls = asking.tool_calls.map((call) =>
      call.id === callId ? { ...call, args: edited.args } : call,
    )
    this.#messages.set(asking.id, { ...asking, tool_calls })
  }

  #answer({ threadId }: StoredEvent, callId: string, output: ToolOutput): void {
    const call = this.#callOf(callId)
    // Whatever became of calls that are gone, nobody asked for them.
    if (!call) return
    const id = resultId(callId)
    this.#messages.set(id, {
      type: 'tool',
      id,
      content: contentOf(output.content, threadId),
      ...nothing(),
      name: call.name,
      tool_call_id: callId,
      status: output.isError ? 'error' : 'success',
      artifact: output.structured ? { ...output.structured } : null,
    })
  }
}

const resultId = (callId: string): string => `r_${callId.slice(2)}`

const silent = (id: string): AiMessage => ({
  type: 'ai',
  id,
  content: '',
  ...nothing(),
  tool_calls: [],
  invalid_tool_calls: [],
})
