/** Notes: recorded but never folded. Chained like all, allowed after the end, never moving the `facts` cursor. */
import { z } from 'zod'
import { MemorySkip } from '../memory/skipped.ts'
import { ToolOutput } from '../message.ts'
import { Title, TitledBy, TitleRefusal } from '../title/spec.ts'
import { ModelErrorClass, Usage } from '../turn.ts'
import { ledgerSchemas } from './ledger.ts'

/** An attempt that is over; milliseconds it took. */
const delivery = {
  effectId: z.string(),
  attempt: z.number().int(),
  durationMs: z.number().int().min(0),
}

/** The events of the same run that a title was made of: from the first of them, through the last. */
const Sources = z.object({ from: z.number().int().min(1), through: z.number().int().min(1) })

/** The call of a model for a title: its usage, the model and the time. Absent where no model was asked. */
const asked = {
  usage: Usage.optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  durationMs: z.number().int().min(0).optional(),
}

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
  /** Who wanted to be told was told: the address answered with a status from 200 to 299. */
  'webhook.delivered': z.object({ ...delivery, status: z.number().int() }),
  /** An attempt to tell somebody failed. Never what was answered, which may hold anything. */
  'webhook.failed': z.object({
    ...delivery,
    /** Of the answer; null if there was none. */
    status: z.number().int().nullable(),
    /** What went wrong, in one word. */
    code: z.string(),
    /** The next attempt comes after so long; null: there is none. */
    retryMs: z.number().int().min(0).nullable(),
  }),
  /** Somebody asked for a delivery to be made once more, under the same id; it had had `attempt` attempts. */
  'webhook.replayed': z.object({ effectId: z.string(), attempt: z.number().int() }),
  /** The thread of the run got a title, or was to: what a person has said stands. */
  'thread.titled': z.object({
    title: Title,
    by: TitledBy,
    /** The effect that made it. Absent with the first words of a thread, and with a person. */
    effectId: z.string().optional(),
    attempt: z.number().int().optional(),
    /** Absent with a person, and where it says nothing of what was said. */
    sources: Sources.optional(),
    ...asked,
  }),
  /** The thread keeps the title that it has: the one that was to be made is none. Never what was answered. */
  'title.unchanged': z.object({
    effectId: z.string(),
    attempt: z.number().int(),
    reason: TitleRefusal,
    /** The guardrail that objected, or took something out. */
    guardrail: z.object({ id: z.string(), name: z.string() }).optional(),
    /** Class of the error of the call. */
    error: ModelErrorClass.optional(),
    ...asked,
  }),
  /** A run of its own learns from this one, and from those before it that nobody learned from. */
  'memory.asked': z.object({
    effectId: z.string(),
    attempt: z.number().int(),
    /** The run that learns. */
    runId: z.string(),
  }),
  /** Nothing is learned from this run by itself. */
  'memory.skipped': z.object({
    effectId: z.string(),
    attempt: z.number().int(),
    reason: MemorySkip,
  }),
  /** The payload and the salt of an event were erased; its hashes stand. */
  'payload.erased': z.object({ seq: z.number().int(), reason: z.string() }),
  /** The run is deleted for its users: no listing shows it, and it is not found. What it said stays said. */
  'run.hidden': z.object({}),
  /** The thread of the run, with all its runs, is deleted for its users. Its id stays taken. */
  'thread.hidden': z.object({}),
  /** The cached state differed from the fold of the log, which was written in its place. */
  'state.repaired': z.object({ seq: z.number().int() }),
  ...ledgerSchemas,
} as const

/** Types of notes. */
export type NoteType = keyof typeof noteSchemas
/** The payload of a note of this type. */
export type NotePayload<T extends NoteType> = z.infer<(typeof noteSchemas)[T]>
