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
import { notYet } from './not-yet.ts'

const metadataBytesMax = 16 * 1024
const messagesMax = 1000

const Text = z.string().refine((text) => text.trim() !== '', 'takes text that is not blank')

const InputMessage = z
  .object({
    id: z.string().min(1).max(100).optional(),
    role: z.string().optional(),
    /** What LangChain calls the role. */
    type: z.string().optional(),
    content: z.union([
      Text,
      z
        .array(z.object({ type: z.literal('text', 'takes parts of type "text" only'), text: Text }))
        .min(1),
    ]),
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

const Messages = z.array(InputMessage).min(1, 'takes at least one message').max(messagesMax)

const HeardRole = z.enum(['assistant', 'ai', 'tool'])

/** What an agent has said on the thread before, for clients that send all of a conversation: only its id counts. */
const HeardMessage = z
  .object({
    id: z.string().min(1).max(100),
    role: HeardRole.optional(),
    /** What LangChain calls the role. */
    type: HeardRole.optional(),
  })
  .refine(({ role, type }) => (role ?? type) !== undefined)
  .transform(({ id }) => ({ id, role: 'heard' as const }))

const Conversation = z
  .array(z.union([InputMessage, HeardMessage]))
  .min(1, 'takes at least one message')
  .max(messagesMax)

const inputMessage =
  'takes a text, { "prompt": "…" } or { "messages": [{ "role": "user", "content": "…" }] }'

export const WebhookAddress = z
  .string()
  .max(limits.webhookUrlCharsMax)
  .refine(isAddressText, 'takes an address that begins with https://, without a name or a password')
  .openapi({ description: 'Told of the end of the run, and whenever it waits for a human.' })

/** What is said to a run, in the forms that clients have. */
export const RunInput = z.union(
  [Text, z.object({ prompt: Text }), z.object({ messages: Messages })],
  inputMessage,
)

/** The same for a run of a thread, where a client may send along what the thread has heard. */
const ConversationInput = z.union(
  [Text, z.object({ prompt: Text }), z.object({ messages: Conversation })],
  inputMessage,
)

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
    /** What the run is about. Absent only where `command.resume` answers a run that waits. */
    input: ConversationInput.nullish(),
    metadata: Metadata.nullish().transform((metadata) => metadata ?? {}),
    if_not_exists: z.enum(['create', 'reject']).default('create'),
    ...orderFields,
    stream_mode: StreamModes,
    webhook: WebhookAddress.nullish(),
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
    interrupt_before: notYet('Name the tools in guardrails.approvalTools of the agent.'),
    interrupt_after: notYet('Name the tools in guardrails.approvalTools of the agent.'),
    /** Of a stream or a wait: what becomes of the run when its client goes. */
    on_disconnect: z.enum(['continue', 'cancel']).nullish(),
    on_completion: notYet('Threads are kept ("keep").', ['keep']),
  })
  .superRefine(({ input, command }, context) => {
    const resumes = isAnswer(command)
    const missing = input === undefined || input === null
    if (missing !== resumes)
      context.addIssue({
        code: 'custom',
        path: ['input'],
        message: resumes ? 'takes nothing beside command.resume' : inputMessage,
      })
  })
  .openapi('RunCreate')
export type RunCreate = z.output<typeof RunCreate>

/** The messages of an input that are a client's own, in order. */
export function messagesOf(
  input: RunCreate['input'],
): readonly { readonly id?: string; readonly role: 'user' | 'system'; readonly texts: string[] }[] {
  if (input === undefined || input === null) return []
  if (typeof input === 'string') return [{ role: 'user', texts: [input] }]
  if ('prompt' in input) return [{ role: 'user', texts: [input.prompt] }]
  const own = input.messages.filter((message) => message.role !== 'heard')
  return own.map(({ id, role, content }) => ({
    ...(id === undefined ? {} : { id }),
    role,
    texts: typeof content === 'string' ? [content] : content.map((part) => part.text),
  }))
}

/** The ids of what an input says was heard before, by their place in it. */
export function heardIn(input: RunCreate['input']): ReadonlyMap<number, string> {
  if (typeof input !== 'object' || input === null || !('messages' in input)) return new Map()
  return new Map(
    input.messages.flatMap(({ id, role }, n) =>
      role === 'heard' && id !== undefined ? [[n, id] as const] : [],
    ),
  )
}
