/** Notes: recorded but never folded. Chained like all, allowed after the end, never moving the `facts` cursor. */
import { z } from 'zod'
import { ToolOutput } from '../message.ts'

/** Payload schemas of notes by type, newest versions. */
export const noteSchemas = {
  /** An attempt of an effect began. Written by the claim itself, before anything executes (I8, I10). */
  'effect.started': z.object({
    attempt: z.number().int(),
    effectId: z.string(),
    leaseMs: z.number().int(),
    owner: z.string(),
  }),
  /** A result arrived that could no longer count: after the end, or after another attempt's. */
  'tool.late': z.object({
    effectId: z.string(),
    attempt: z.number().int(),
    callId: z.string(),
    output: ToolOutput.optional(),
    error: z.string().optional(),
  }),
  'webhook.delivered': z.object({ effectId: z.string(), status: z.number().int() }),
  'payload.erased': z.object({ seq: z.number().int(), reason: z.string() }),
  /** The cached state differed from the fold of the log (I15); the fold stands. */
  'state.repaired': z.object({ seq: z.number().int() }),
} as const

/** Types of notes. */
export type NoteType = keyof typeof noteSchemas
/** The payload of a note of this type. */
export type NotePayload<T extends NoteType> = z.infer<(typeof noteSchemas)[T]>
