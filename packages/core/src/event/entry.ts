/**
 * The entry of an event type: everything known of it besides its schema. Command line, search, conversation, explanations, wires and
 * documentation ask the catalogue (`catalogue.ts`), and know no type themselves.
 */
import type { z } from 'zod'
import type { AfterRefusal } from '../definition.ts'
import type { EffectKind } from '../effect.ts'
import type { Outcome } from '../outcome.ts'
import type { DecisionPayload, decisionSchemas, DecisionType } from './decision.ts'
import type { FactPayload, factSchemas, FactType } from './fact.ts'
import type { NotePayload, noteSchemas, NoteType } from './note.ts'

/** The parts of a line about an event, most important first; empty ones are left out. */
export type LineParts = readonly string[]

/** How an event stands out among others: something went wrong, something wants to be noticed, or neither. */
export type Tone = 'alarm' | 'notice' | 'plain'

/** Where the explanation of a run shows an event. `beside`: on purpose nowhere, it is about no call, no answer and no end. */
export type ExplanationPlace =
  | 'run'
  | 'answer'
  | 'decision'
  | 'verdict'
  | 'call'
  | 'attempt'
  | 'erasure'
  | 'beside'

/** The effects that facts end, by what they are for the run. */
export type SettledKind = 'model' | 'call' | 'question'

/** Words in the place of an answer, or behind it, and the message they belong to. */
export interface Sentence {
  readonly messageId: string
  readonly text: string
}

/** The words of a decision to the model, in the conversation that the next request shows. */
export type Heard =
  /** Words of ours, until the model has answered. */
  | { readonly as: 'reminder'; readonly text: string }
  /** Words in the place of an answer, or behind it. */
  | { readonly as: 'sentence'; readonly messageId: string; readonly text: string }
  /** An answer that is asked for once more, and why. */
  | { readonly as: 'correction'; readonly messageId: string; readonly text: string }
  /** An answer that was cut stays, and the model is asked to go on. */
  | { readonly as: 'continuation'; readonly messageId: string; readonly text: string }
  /** The result of a call that is not executed. */
  | {
      readonly as: 'denial'
      readonly callId: string
      readonly code: string
      readonly message: string
    }
  /** The result of a call that the decision settled, and the plan, if it wrote one. */
  | {
      readonly as: 'result'
      readonly callId: string
      readonly text: string
      readonly todos?: DecisionPayload<'todo.written'>['todos']
    }
  /** A line behind the result of a call. */
  | { readonly as: 'remark'; readonly callId: string; readonly text: string }
  /** Words of users that waited, up to an event. */
  | { readonly as: 'input'; readonly through: number }
  /** A refusal, after which the conversation may forget. */
  | { readonly as: 'refusal'; readonly context: AfterRefusal }
  /** Old results give way to a line each, up to a moment (null: none does); of images all but the newest, wherever they are. */
  | {
      readonly as: 'pruning'
      readonly through: DecisionPayload<'context.pruned'>['through'] | null
      readonly rule: DecisionPayload<'context.pruned'>['rule']
    }

/**
 * An entry of the catalogue.
 * @typeParam P - the payload, in its newest version
 * @typeParam I - the same, as it is written
 */
export interface CatalogueEntry<P, I = unknown> {
  /**
   * The line about the event. Arguments, outputs and what people wrote may be nobody's business: they are said when
   * `isVerbose`, and arguments of a verdict never.
   */
  readonly says: (payload: P, isVerbose: boolean) => LineParts
  /**
   * The texts that a search looks into, as JSON paths of Postgres into the payload. Never what is not shown to everybody who watches a
   * run: a provider's own words in its errors are left out.
   */
  readonly searched: readonly string[]
  /** Default: `plain`. */
  readonly tone?: Exclude<Tone, 'plain'>
  /** Is it a verdict that a user should hear of while the run goes on? Default: no. */
  readonly isNotable?: true
  /** The sentence that stands in the place of an answer, or behind it, and the message it belongs to. Default: none. */
  readonly sentence?: (payload: P) => Sentence
  readonly place: ExplanationPlace
  /** A payload as a run would write it. */
  readonly example: I
  /** A fact that the conversation is made of. Default: it is not. */
  readonly isConversation?: true
  /** The words of the event to the model; null where that depends on the payload. Default: nothing. */
  readonly heard?: (payload: P) => Heard | null
  /** The kind of effect that the fact is about. Default: none, or of several kinds. */
  readonly effect?: EffectKind
  /** The fact ends an effect: a call of the model, that of a tool, or a question to the policies. Default: it does not. */
  readonly settles?: SettledKind
  /** Is it told to the run that started this one, when this one ends? Default: no. */
  readonly isObjection?: true
  /** The outcome of a run that ends by this verdict. Default: it ends none, or several outcomes may follow. */
  readonly endsAs?: Outcome
  /** It has a schema, so that logs can hold it one day, and nothing writes it yet. */
  readonly isReserved?: true
}

/** Its type says it all. */
export const nothing = (): LineParts => []

/** `word text`, or nothing where there is no text. */
export const withWord = (word: string, text: string | undefined): string =>
  text === undefined || text === '' ? '' : `${word} ${text}`

/** A text that is said with `isVerbose` only. */
export const words = (isVerbose: boolean, text: string | undefined): string =>
  isVerbose ? (text ?? '') : ''

/** Names of calls, `a, b`. */
export const takenOut = (calls: readonly { readonly name: string }[]): string =>
  withWord('calls taken out:', calls.map(({ name }) => name).join(', '))

/** A time, milliseconds since the epoch, as people read it. */
export const timeOf = (ms: number | null): string =>
  // oxlint-disable-next-line no-restricted-globals -- writes the time it is given, and reads no clock
  ms === null || Math.abs(ms) > 8.64e15 ? '' : `${new Date(ms).toISOString().slice(0, 19)}Z`

/** JSON paths of the texts in a list of content. */
export const contentPaths = (where: string): readonly string[] => [
  `${where}[*].text`,
  `${where}[*].preview`,
]

/** How far an approval reaches; nothing is said of one that is for this call alone. */
export function approvalReach(scope: FactPayload<'approval.answered'>['scope']): string {
  if (scope === 'run') return 'this run'
  return scope === 'always' ? 'always' : ''
}

/** The parts of a line about a limit. */
export const limitParts = (of: {
  readonly budget: string
  readonly used: number
  readonly limit: number
}): LineParts => [of.budget, `${of.used} of ${of.limit}`]

/** Words that stand in the place of an answer. */
export const spoken = ({ messageId, text }: Sentence): Heard => ({
  as: 'sentence',
  messageId,
  text,
})

/** Entries of the facts. */
export type FactEntries = {
  readonly [T in FactType]: CatalogueEntry<FactPayload<T>, z.input<(typeof factSchemas)[T]>>
}
/** Entries of the decisions. */
export type DecisionEntries = {
  readonly [T in DecisionType]: CatalogueEntry<
    DecisionPayload<T>,
    z.input<(typeof decisionSchemas)[T]>
  >
}
/**
 * Entries of the notes. No note is conversation: whoever knows all facts and decisions of a run knows what was said in it, and notes are
 * written without either.
 */
export type NoteEntries = {
  readonly [T in NoteType]: CatalogueEntry<NotePayload<T>, z.input<(typeof noteSchemas)[T]>> & {
    readonly isConversation?: never
    readonly heard?: never
  }
}
