/**
 * The configuration of what is done when a conversation grows towards the window of its model, and the marks in tokens that follow from it.
 *
 * R1 Room is what a request may weigh: the window, less what the answer needs.
 * R2 Without a known window the marks stand at `tokens`, until an overflow teaches one.
 */
import { z } from 'zod'
import type { ModelConfig } from '../../definition.ts'
import { limits } from '../../limits.ts'

const share = z.number().min(0.05).max(1)
const tokens = z.number().int().min(1)

/** The field `context` of an agent. Absent, a conversation is sent whole until it overflows. */
export const ContextConfig = z
  .strictObject({
    /** At so many tokens of a request something is done, where the window of the model is not known. */
    tokens: tokens.min(1_000).default(100_000),
    /** Results of tools give way to one line each, which says how to read them again. */
    prune: z
      .strictObject({
        /** Share of the room at which it happens. Default: 0.6, at most three quarters of `compact.at`, and never where the room is under 64,000 tokens. */
        at: share.optional(),
        /** The results of so many turns stay whole, the newest. */
        keepTurns: z.number().int().min(1).max(16).default(4),
        /** Nothing is cleared for fewer tokens. Default: 15 % of the room, at least 4,000. */
        minTokens: tokens.optional(),
        /** Shorter results stay, and so do all that report an error. */
        minChars: z.number().int().min(100).max(12_000).default(1_000),
        /** Tools whose results stay. */
        exclude: z.array(z.string()).max(64).default(['load_skill']),
      })
      .prefault({}),
    /** Images give way to one line each, before results do. Absent: as with its defaults. */
    images: z
      .strictObject({
        /** So many of the newest stay. Default: 4. */
        keep: z.number().int().min(0).max(limits.imagesMax),
      })
      .optional(),
    /** The conversation before a place between turns gives way to a summary of it, which a model writes. */
    compact: z
      .strictObject({
        /** Share of the room at which it happens. */
        at: share.default(0.8),
        /** Of the newest conversation, so much stays, in whole turns. Default: 10 % of the room, at most 20,000 tokens. */
        keep: tokens.optional(),
        /** A longer summary is refused. */
        summaryTokens: tokens.min(256).max(32_000).default(4_000),
        /** The model of the agent that writes it, by its name; null: the one that the run asks, with the beginning of the request that it has cached. */
        model: z.string().nullable().default(null),
        /** Instructions on what to keep, in the words of the operator; they stand behind ours. */
        instructions: z.string().max(limits.instructionsCharsMax).optional(),
        /** In one run. */
        maxPerRun: z.number().int().min(0).max(1_000).default(20),
        /** After so many failures in a row it is not tried again in this run. */
        failuresMax: z.number().int().min(1).max(10).default(3),
        /** Of the run's `maxTokens`, all summaries together take at most this share. */
        maxShare: z.number().min(0.01).max(1).default(0.25),
      })
      .prefault({}),
  })
  .refine(({ prune, compact }) => prune.at === undefined || prune.at < compact.at, {
    path: ['prune', 'at'],
    error: 'takes a smaller share than compact.at, which comes after it',
  })
export type ContextConfig = z.infer<typeof ContextConfig>

/** The configuration of a recovery from an overflow where the agent says nothing. */
export const defaultContext: ContextConfig = ContextConfig.parse({})

/** So many of the newest images stay where a request is made lighter. */
export const imagesKept = ({ images }: ContextConfig): number => images?.keep ?? limits.imagesKept

/** Where relief begins, and how much of it there must be; tokens. */
export interface Marks {
  /** Of a request, with its answer left out. */
  readonly room: number
  /** Null: old results are never cleared before an overflow. */
  readonly prune: number | null
  readonly minTokens: number
  /** From so many tokens on, the conversation before a place gives way to a summary. */
  readonly compact: number
  /** So much stays behind the place. */
  readonly keep: number
}

const answerTokens = 8_192
const answerShare = 0.2
const pruneShare = 0.6
/** Of the share at which a summary is made: results give way before it. */
const beforeSummary = 0.75
const pruneRoomMin = 64_000
const minTokensShare = 0.15
const minTokensMin = 4_000
const keepShare = 0.1
const keepMax = 20_000

/** The window that counts: what an overflow taught is worth more than what was configured. Null: nobody knows. */
export const windowOf = (model: ModelConfig, learned: number): number | null =>
  learned > 0 ? Math.min(learned, model.contextWindow ?? learned) : (model.contextWindow ?? null)

/** The marks of a request in a window; tokens. */
const roomIn = (window: number, { maxOutputTokens = answerTokens }: ModelConfig): number =>
  window - Math.min(maxOutputTokens, Math.floor(window * answerShare))

/** The marks of an agent for a model, whose window may have been learned from an overflow (0: it was not). */
export function marksOf(config: ContextConfig, model: ModelConfig, learned: number): Marks {
  const window = windowOf(model, learned)
  const { compact } = config
  // Without a window, `tokens` is where a summary is made.
  const room = window === null ? Math.ceil(config.tokens / compact.at) : roomIn(window, model)
  const { at, minTokens } = config.prune
  const pruneAt =
    at ?? (room < pruneRoomMin ? null : Math.min(pruneShare, compact.at * beforeSummary))
  return {
    room,
    prune: pruneAt === null ? null : Math.floor(room * pruneAt),
    minTokens: minTokens ?? Math.max(minTokensMin, Math.floor(room * minTokensShare)),
    compact: Math.floor(room * compact.at),
    keep: compact.keep ?? Math.min(keepMax, Math.floor(room * keepShare)),
  }
}
