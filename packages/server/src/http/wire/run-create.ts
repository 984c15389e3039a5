/**
 * The body of a create, in LangGraph's words. Unknown fields are ignored, since clients grow; a known field whose
 * meaning this version cannot honour is refused by name, since ignoring it would do something else than was asked.
 */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema } from '@signalbox/core'

const metadataBytesMax = 16 * 1024
const messagesMax = 1000

/** Refuses a field unless it has a value that means what happens anyway. */
const notYet = (instead: string, harmless: readonly unknown[] = []) =>
  z
    .unknown()
    .optional()
    .refine((value) => value === undefined || value === null || harmless.includes(value), {
      error: `is not available in this version. ${instead}`,
      params: { code: 'not_available' },
    })
    .openapi({ description: `Not available in this version. ${instead}` })

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

const Input = z.union(
  [Text, z.object({ prompt: Text }), z.object({ messages: Messages })],
  'takes a text, { "prompt": "…" } or { "messages": [{ "role": "user", "content": "…" }] }',
)

export const Metadata = JsonObjectSchema.refine(
  (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= metadataBytesMax,
  `takes at most ${metadataBytesMax} bytes of JSON`,
).openapi({ type: 'object' })

export const RunCreate = z
  .object({
    /** The name of an agent. */
    assistant_id: z.string().min(1, 'takes the name of an agent').max(200),
    input: Input,
    metadata: Metadata.nullish().transform((metadata) => metadata ?? {}),
    if_not_exists: z.enum(['create', 'reject']).default('create'),
    multitask_strategy: notYet('Runs of a thread run one after the other ("enqueue").', [
      'enqueue',
    ]),
    stream_mode: z.unknown().optional(),
    webhook: notYet('Follow the run with /stream or /join.'),
    after_seconds: notYet('Runs start as soon as their thread is free.', [0]),
    command: notYet('Answer an approval with POST /approvals/{approval_id}.'),
    checkpoint: notYet('A run goes on from the end of its thread.'),
    checkpoint_id: notYet('A run goes on from the end of its thread.'),
    interrupt_before: notYet('Name the tools in guardrails.approvalTools of the agent.'),
    interrupt_after: notYet('Name the tools in guardrails.approvalTools of the agent.'),
    on_disconnect: notYet('A run goes on without its client ("continue").', ['continue']),
    on_completion: notYet('Threads are kept ("keep").', ['keep']),
  })
  .openapi('RunCreate')
export type RunCreate = z.output<typeof RunCreate>

/** The messages of an input, in order. */
export function messagesOf(
  input: RunCreate['input'],
): readonly { readonly id?: string; readonly role: 'user' | 'system'; readonly texts: string[] }[] {
  if (typeof input === 'string') return [{ role: 'user', texts: [input] }]
  if ('prompt' in input) return [{ role: 'user', texts: [input.prompt] }]
  return input.messages.map(({ id, role, content }) => ({
    ...(id === undefined ? {} : { id }),
    role,
    texts: typeof content === 'string' ? [content] : content.map((part) => part.text),
  }))
}
