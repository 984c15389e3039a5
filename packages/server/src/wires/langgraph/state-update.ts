/** What a client puts into the state of a thread, in LangGraph's words: messages, since a state has nothing else. */
import { z } from '@hono/zod-openapi'
import { type EditMessage, limits } from '@signalbox/core'
import { CheckpointId } from './checkpoint.ts'

const Text = z.string().refine((text) => text.trim() !== '', 'takes text that is not blank')
const roles = new Map<string, EditMessage['role']>([
  ['user', 'user'],
  ['human', 'user'],
  ['system', 'system'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
])

const Message = z
  .object({
    id: z.string().min(1).max(100).nullish(),
    role: z.string().optional(),
    /** What LangChain calls the role. */
    type: z.string().optional(),
    content: z.union([
      Text,
      z
        .array(z.object({ type: z.literal('text', 'takes parts of type "text" only'), text: Text }))
        .min(1),
    ]),
    tool_calls: z.array(z.unknown()).max(0, 'takes no calls: nothing would execute them').nullish(),
  })
  .transform(({ id, role, type, content }, context) => {
    const known = roles.get(role ?? type ?? 'user')
    const texts = typeof content === 'string' ? [content] : content.map(({ text }) => text)
    if (known !== undefined) return { id: id ?? null, role: known, texts }
    const message = 'takes "user", "system" or "assistant"'
    context.addIssue({ code: 'custom', path: ['role'], message })
    return z.NEVER
  })

const Messages = z.union([Message.transform((one) => [one]), z.array(Message)])

/** An update of a state. */
export const StateUpdate = z
  .object({
    values: z
      .strictObject({
        messages: Messages.nullish().transform((messages) => messages ?? []),
      })
      .nullish(),
    /** Accepted, and without effect: the machine decides what comes next. */
    as_node: z.string().max(limits.idCharsMax).nullish(),
    /** What the thread goes on from, instead of its end. */
    checkpoint_id: CheckpointId.nullish(),
    checkpoint: z.object({ checkpoint_id: CheckpointId.nullish() }).nullish(),
  })
  .transform(({ values, checkpoint_id, checkpoint }) => ({
    messages: values?.messages ?? [],
    checkpointId: checkpoint_id ?? checkpoint?.checkpoint_id ?? null,
  }))
  .refine(({ messages, checkpointId }) => messages.length > 0 || checkpointId !== null, {
    path: ['values'],
    error: 'takes { "messages": […] }, unless a checkpoint_id says what to go back to',
  })
  .refine(({ messages }) => messages.length <= limits.editMessagesMax, {
    path: ['values', 'messages'],
    error: `takes at most ${limits.editMessagesMax} messages`,
  })
  .openapi('StateUpdate')
export type StateUpdate = z.output<typeof StateUpdate>
