/**
 * The title that first words make, as far as the stream guardrails of the agent let them be shown: a list of threads shows it to more
 * people than read the thread, and a key that somebody pasted is no title.
 *
 * G1 Whole texts are judged, before a title is cut out of them: half a secret is not known for one. The title is judged once more as it
 *    is shown: marks of Markdown, escapes and what nobody sees are gone by then, and may have stood within a word.
 * G2 Where a guardrail objects, or cannot judge, nothing of the words is told.
 */
import { type AgentDefinition, limits, titleOfWords, untitled, wellFormed } from '@signalbox/core'
import type { StreamGuard, StreamGuardrails, TakenOut } from '../ports.ts'
import { streamGuardOf } from './guard.ts'

/** The words that a title is made of: texts of the user, else the names of files. */
interface FirstWords {
  readonly texts: readonly string[]
  readonly files: readonly string[]
}

/** The title of first words; `untitled` where they may not be told. Never throws. */
export function guardedTitle(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  { texts, files }: FirstWords,
): string {
  try {
    const guard = streamGuardOf(guardrails, agent, { correction: 0 })
    if (guard === null) return titleOfWords(texts, files)
    const said = passed(guard, texts)
    const named = said === null ? null : passed(guard, files)
    if (said === null || named === null) return untitled
    const title = titleOfWords(said, named)
    return objectionTo(guardrails, agent, title) === null ? title : untitled
  } catch {
    return untitled
  }
}

/** The texts that titles are looked for in, as they may be shown; null where one may not. */
function passed(guard: StreamGuard, texts: readonly string[]): readonly string[] | null {
  const all: string[] = []
  for (const text of texts.slice(0, textsMax)) {
    const begun = guard.push('text', wellFormed(text.slice(0, judgedCharsMax)))
    const ended = guard.end('text')
    if (begun.type === 'tripped' || ended.type === 'tripped') return null
    const shown = begun.text + ended.text
    all.push(text.length > judgedCharsMax ? shown.slice(0, -unjudgedChars) : shown)
  }
  return all
}

/** The objection to a title as it is shown; without a guardrail where it could not be judged. Null: there is none. Never throws. */
export function objectionTo(
  guardrails: StreamGuardrails,
  agent: AgentDefinition,
  title: string,
): { readonly guardrail?: TakenOut['guardrail'] } | null {
  try {
    const guard = streamGuardOf(guardrails, agent, { correction: 0 })
    if (guard === null) return null
    const begun = guard.push('text', title)
    const ended = guard.end('text')
    if (begun.type === 'tripped') return { guardrail: begun.trip.guardrail }
    if (ended.type === 'tripped') return { guardrail: ended.trip.guardrail }
    const [taken] = guard.redacted()
    if (taken) return { guardrail: taken.guardrail }
    return begun.text + ended.text === title ? null : {}
  } catch {
    return {}
  }
}

/**
 * Of a long text more is judged than a title is looked for in, and the end of it is not shown: what is cut off there may be the first half of
 * something that would have been taken out.
 */
const unjudgedChars = limits.titleSourceCharsMax
const judgedCharsMax = limits.titleSourceCharsMax + unjudgedChars

/** Texts of a message that a title is looked for in. */
const textsMax = 16
