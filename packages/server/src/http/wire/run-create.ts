/**
 * The body of a create, in LangGraph's words. Unknown fields are ignored, since clients grow; a known field whose
 * meaning this version cannot honour is refused by name, since ignoring it would do something else than was asked.
 */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, limits } from '@signalbox/core'
import { isAddressText } from '../../config/references.ts'
import { StreamModes } from '../../wires/langgraph/stream/modes.ts'
import { CheckpointId } from '../../wires/langgraph/checkpoint.ts'
import { orderFields } from './multitask.ts'
import { Id } from './ids.ts'
import { notYet } from './not-yet.ts'
import { type FileBlock, SentContent, Text, sentTexts } from './sent-content.ts'

const metadataBytesMax = 16 * 1024
const messagesMax = 1000

const Content = z.union([
  Text,
  z
    .array(z.object({ type: z.literal('text', 'takes parts of type "text" only'), text: Text }))
    .min(1),
])

const messageWith = <Schema extends z.ZodType>(content: Schema) =>
  z
    .object({
      id: z.string().min(1).max(100).optional(),
      role: z.string().optional(),
      /** What LangChain calls the role. */
      type: z.string().optional(),
      content,
    })
    .transform((message, context) => {
      const role = roles.get(message.role ?? message.type ?? 'user')
      if (role !== undefined) return { ...message, role }
      context.addIssue({ code: 'custom', path: ['role'], message: 'takes "user" or "system"' })
      return z.NEVER
    })

const roles = new Map<string, 'user' | 'system'>([
  ['user', 'user'],
  ['human', 'user'],
  ['system', 'system'],
])

const Messages = z.array(messageWith(Content)).min(1, 'takes at least one message').max(messagesMax)

const HeardRole = z.enum(['assistant', 'ai', 'tool'])

/** What an agent has said before. Where the thread has it, only its id counts; a thread that is new takes it as it is. */
const HeardMessage = z
  .object({
    id: z.string().min(1).max(100).nullish(),
    role: HeardRole.optional(),
    /** What LangChain calls the role. */
    type: HeardRole.optional(),
    /** Of a tool's answer: pages make one up for a call that is open, since their models want one. */
    tool_call_id: z.string().max(200).optional(),
    content: z.unknown(),
    tool_calls: z.array(z.unknown()).nullish(),
  })
  .refine(({ role, type }) => (role ?? type) !== undefined)
  .transform(({ id = null, role, type, content, tool_calls, tool_call_id: answers = null }) => {
    const isSpeech = (role ?? type) !== 'tool' && (tool_calls ?? []).length === 0
    const { data: said } = Content.safeParse(content)
    return {
      id,
      answers,
      said: isSpeech && said !== undefined ? said : null,
      role: 'heard' as const,
    }
  })

const Conversation = z
  .array(z.union([messageWith(SentContent), HeardMessage]))
  .min(1, 'takes at least one message')
  .max(messagesMax)

const inputMessage =
  'takes a text, { "prompt": "…" } or { "messages": [{ "role": "user", "content": "…" }] }'

export const WebhookAddress = z
  .string()
  .max(limits.webhookUrlCharsMax)
  .refine(isAddressText, 'takes an address that begins with https://, without a name or a password')
  .openapi({ description: 'Told of the end of the run, and whenever it waits for a human.' })

/** Only a run that begins is given files. */
const noFiles = z
  .array(z.string())
  .optional()
  .refine((ids) => ids === undefined || ids.length === 0, {
    error: 'is not available here. Name uploads in the input of a run that you create.',
    params: { code: 'not_available' },
  })

/** What is said to a run, in the forms that clients have. */
export const RunInput = z.union(
  [
    Text,
    z.object({ prompt: Text, files: noFiles }),
    z.object({ messages: Messages, files: noFiles }),
  ],
  inputMessage,
)

/** Uploads of the thread: they become files of the conversation with the run, and its message says which. */
const Files = z
  .array(Id, 'takes a list of upload ids')
  .max(limits.runFilesMax, `takes at most ${limits.runFilesMax} uploads`)
  .refine((ids) => new Set(ids).size === ids.length, 'takes each upload once')
  .optional()

/** What pages send that have nothing to say: as if there was no input. */
const Nothing = z
  .looseObject({ messages: z.array(z.unknown()).max(0).optional() })
  .openapi({ additionalProperties: false })
  // An input with other fields is of another form, whose mistake is the one to report: a strict object would be taken for the form that was meant.
  .refine((input) => Object.keys(input).every((key) => key === 'messages'), {
    error: inputMessage,
    abort: true,
  })
  .transform(() => null)

/** The same for a run of a thread, where a client may send along what the thread has heard. */
const ConversationInput = z.union(
  [
    Text,
    z.object({ prompt: Text, files: Files }),
    z.object({ messages: Conversation, files: Files }),
    Nothing,
  ],
  inputMessage,
)

/** Fields that tools and policies read; which there are, the agent says. */
const SaidFields = z.record(z.string(), z.unknown()).nullish()

/** Does a command answer a run that waits? Null is no answer. */
export const isAnswer = (command: { readonly resume?: unknown } | null | undefined): boolean =>
  command?.resume !== undefined && command.resume !== null

export const Metadata = JsonObjectSchema.refine(
  (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= metadataBytesMax,
  `takes at most ${metadataBytesMax} bytes of JSON`,
).openapi({ type: 'object' })

export const RunCreate = z
  .object({
    /** The name of an agent. */
    assistant_id: z.string().min(1, 'takes the name of an agent').max(200),
    /** What the run is about. Absent, null, `{}` or without messages only where `command.resume` answers a run that waits, or a checkpoint is answered again. */
    input: ConversationInput.nullish(),
    metadata: Metadata.nullish().transform((metadata) => metadata ?? {}),
    if_not_exists: z.enum(['create', 'reject']).default('create'),
    ...orderFields,
    stream_mode: StreamModes,
    webhook: WebhookAddress.nullish(),
    /** `off`: nothing of the run is remembered, and nothing that is known of its user is shown to it. */
    memory: z.enum(['on', 'off']).optional(),
    /** `resume` answers what the thread's current run waits for, and creates no run. */
    command: z
      .object({
        resume: z.unknown().optional(),
        update: notYet('A run goes on from what was said.'),
        goto: notYet('The machine decides what comes next.'),
      })
      .nullish(),
    /** Where the run goes on from, instead of the end of its thread. */
    checkpoint_id: CheckpointId.nullish(),
    checkpoint: z.object({ checkpoint_id: CheckpointId.nullish() }).nullish(),
    /** False: nobody is there who could answer a question of the model, so it may ask none. */
    interactive: z.boolean().nullish(),
    /** What the client says of the run, in the fields that its agent declares: tools and policies read them. */
    context: SaidFields,
    config: z
      .looseObject({
        /** The same, in LangGraph's older place. */
        configurable: SaidFields,
        /** As LangGraph counts: a turn of the model and the execution of its calls are one step each. Lowers `maxTurns`. */
        recursion_limit: z.number().int().min(1, 'takes at least 1').max(1_000_000).nullish(),
      })
      .nullish(),
    interrupt_before: notYet('Name the tools in guardrails.approvalTools of the agent.'),
    interrupt_after: notYet('Name the tools in guardrails.approvalTools of the agent.'),
    /** Of a stream or a wait: what becomes of the run when its client goes. */
    on_disconnect: z.enum(['continue', 'cancel']).nullish(),
    on_completion: notYet('Threads are kept ("keep").', ['keep']),
  })
  .superRefine(({ input, command, ...place }, context) => {
    const refuse = (message: string) =>
      context.addIssue({ code: 'custom', path: ['input'], message })
    const says = input !== undefined && input !== null
    if (isAnswer(command) && says) refuse('takes nothing beside command.resume')
    if (!isAnswer(command) && !says && baseOf(place) === null) refuse(inputMessage)
  })
  .openapi('RunCreate')
export type RunCreate = z.output<typeof RunCreate>

/** The checkpoint that a create goes on from; null: the end of its thread. */
export const baseOf = ({
  checkpoint_id,
  checkpoint,
}: {
  readonly checkpoint_id?: string | null | undefined
  readonly checkpoint?: { readonly checkpoint_id?: string | null | undefined } | null | undefined
}): string | null => checkpoint_id ?? checkpoint?.checkpoint_id ?? null

/** A message of a client's own. */
export interface OwnMessage {
  readonly id?: string
  readonly role: 'user' | 'system'
  readonly texts: string[]
}

/** The messages of an input that are a client's own, in order. */
export function messagesOf(input: RunCreate['input']): readonly OwnMessage[] {
  if (input === undefined || input === null) return []
  if (typeof input === 'string') return [{ role: 'user', texts: [input] }]
  if ('prompt' in input) return [{ role: 'user', texts: [input.prompt] }]
  const own = input.messages.filter((message) => message.role !== 'heard')
  return own.map(({ id, role, content }) => ({
    ...(id === undefined ? {} : { id }),
    role,
    texts: sentTexts(content),
  }))
}

/** A file that stands in a message of an input. */
export interface InputFile extends FileBlock {
  /** Its message: by its place in the input, and by the id that the client gave it. */
  readonly message: number
  readonly messageId: string | undefined
  /** Where in the request it stands. */
  readonly at: string
}

/** The files that stand in a client's own messages, in order. */
export function messageFiles(input: RunCreate['input']): readonly InputFile[] {
  if (typeof input !== 'object' || input === null || !('messages' in input)) return []
  return input.messages.flatMap((message, n) =>
    message.role === 'heard' || typeof message.content === 'string'
      ? []
      : message.content.flatMap((block, m) => {
          const at = `input.messages[${n}].content[${m}]`
          return block.type === 'file' ? [{ ...block, message: n, messageId: message.id, at }] : []
        }),
  )
}

/** The uploads that an input names, in order. */
export const uploadsIn = (input: RunCreate['input']): readonly string[] =>
  typeof input === 'object' && input !== null && 'files' in input ? (input.files ?? []) : []

/** What an input says was heard before. */
export interface HeardBefore {
  readonly id: string | null
  /** The call that it answers, of a tool's answer. */
  readonly answers: string | null
}

/** What an input says was heard before, by its place in it. */
export function heardIn(input: RunCreate['input']): ReadonlyMap<number, HeardBefore> {
  if (typeof input !== 'object' || input === null || !('messages' in input)) return new Map()
  return new Map(
    input.messages.flatMap((message, n) =>
      message.role === 'heard' ? [[n, { id: message.id, answers: message.answers }] as const] : [],
    ),
  )
}

/** A message that somebody is to have said, whoever it was. */
export interface SaidMessage {
  readonly id: string | null
  readonly role: 'user' | 'system' | 'assistant'
  readonly texts: readonly string[]
}

/** All messages of an input up to the last one of an assistant; null in the place of one that is no text. */
export function saidBefore(input: RunCreate['input']): readonly (SaidMessage | null)[] {
  if (typeof input !== 'object' || input === null || !('messages' in input)) return []
  const last = input.messages.findLastIndex(({ role }) => role === 'heard')
  return input.messages.slice(0, last + 1).map((message): SaidMessage | null => {
    const { id = null } = message
    if (message.role !== 'heard')
      return { id, role: message.role, texts: sentTexts(message.content) }
    return message.said === null ? null : { id, role: 'assistant', texts: sentTexts(message.said) }
  })
}
