/** What a run has come to: what was said on its thread, and its outcome. The answer of `wait` and `join`. */
import { z } from '@hono/zod-openapi'
import { Outcome } from '@signalbox/core'
import { Interrupt } from '../../wires/langgraph/interrupt.ts'
import { ChatMessage } from '../../wires/langgraph/messages.ts'
import { runValueFields } from '../../wires/langgraph/run-values.ts'
import { RunError } from './run-error.ts'
import { Run } from './run-view.ts'

const Role = z.enum(['user', 'system', 'assistant', 'tool'])

export const Values = z
  .object({
    /** Of the whole thread, as of the last decision of the run. With the role in the words of everybody else. */
    messages: z.array(z.intersection(ChatMessage, z.object({ role: Role }))),
    ...runValueFields,
    outcome: Outcome.nullable(),
    run: Run,
    /** Present when the run ended in error, or was not done within the time to wait. */
    __error__: z
      .object({ error: z.string(), message: z.string(), cause: RunError.optional() })
      .optional(),
    /** Present when the run waits for a human. */
    __interrupt__: z.array(Interrupt).optional(),
  })
  .openapi('Values')
export type Values = z.infer<typeof Values>

const roles = { human: 'user', system: 'system', ai: 'assistant', tool: 'tool' } as const

export const withRole = (message: ChatMessage): Values['messages'][number] => ({
  ...message,
  role: roles[message.type],
})
