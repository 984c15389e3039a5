/** Interrupts: what LangGraph calls the questions of a run that waits for a human. */
import { z } from '@hono/zod-openapi'
import type { Waiting } from '../../http/wire/run-view.ts'

/** `id` is what an answer names: the approval's, or the effect's whose outcome nobody knows. */
export const Interrupt = z
  .object({ id: z.string(), value: z.record(z.string(), z.unknown()) })
  .openapi('Interrupt')
export type Interrupt = z.infer<typeof Interrupt>

/** What a run waits for, as an interrupt. `description` is LangGraph's word for the reason. */
export const interruptOf = (waiting: Waiting): Interrupt =>
  waiting.for === 'approval'
    ? { id: waiting.approval_id, value: { ...waiting, description: waiting.reason } }
    : { id: waiting.effect_id, value: { ...waiting } }
