/** Titles of threads: how an agent gives them, who gave one, and why one was not given. */
import { z } from 'zod'
import { limits } from '../limits.ts'

/** How the threads of an agent get their titles. Absent from a definition: they get none. */
export const TitleConfig = z.union([
  /** Of the first words of the user. */
  z.literal('words'),
  /** The same at first; then by a model, once a run of the thread has completed. */
  z.strictObject({
    /** Name of the model that is asked, one of `model` and `fallbackModels`. Default: that of `model`. */
    model: z.string().min(1).max(limits.idCharsMax).optional(),
    /** Words that the model is asked for at most. */
    maxWords: z.number().int().min(1).max(limits.titleWordsMax).default(6),
  }),
])

/** Whose title it is: made of words that were said, made by a model, or a person's, which stands. */
export const TitledBy = z.enum(['words', 'model', 'user'])

/** A title as a person gives it, or as it is kept. */
export const Title = z.string().min(1).max(limits.titleCharsMax)

/**
 * Why a thread keeps the title that it has. Of the answer: it was empty, too long, of several lines, spoke of itself, apologised, or held
 * thoughts. Of the call: it failed, the provider refused, a guardrail objected or took something out, the model asked for a tool, or it
 * used more than a title may. Else: the thread was deleted (`gone`), or has a title already (`titled`).
 */
export const TitleRefusal = z.enum([
  'empty',
  'too_long',
  'lines',
  'first_person',
  'apology',
  'thoughts',
  'failed',
  'safety',
  'guardrail',
  'calls',
  'cap',
  'gone',
  'titled',
])

/** Title of a thread of which nothing may be told, or nothing can be. */
export const untitled = 'New conversation'

export type TitleConfig = z.infer<typeof TitleConfig>
export type TitledBy = z.infer<typeof TitledBy>
export type TitleRefusal = z.infer<typeof TitleRefusal>
