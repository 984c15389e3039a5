/** The common frame of guardrails that look for things in text: find, wait for what may grow, act. */
import { characterBefore } from './border.ts'
import type { LedPlace } from './lead-scan.ts'
import type { MatchPlace, SearchProgress } from './matches.ts'
import { marker, outsideMarkers } from './marker.ts'
import { fail, type Guardrail, type GuardrailContext, pass, stop } from './part.ts'
import { allApart } from './overlaps.ts'
import { guardrailRefusal, type TailFlow } from './search-outcome.ts'
import { SearchedText } from './searched-text.ts'
import type { GuardAction } from '@signalbox/core'

/** Something that was found. */
export interface Finding extends MatchPlace {
  /** Stands in the marker: 1 to 64 of a-z, 0-9 and hyphen. */
  readonly kind: string
}

/** A text and what stands left of it. */
export interface SeenText {
  readonly text: string
  /** The character that went out last, for tests of borders; empty at the beginning. */
  readonly before: () => string
  /** Of a text that grows: what of it is looked at now. Absent: all of it. */
  readonly progress?: SearchProgress
  /** Of a text that grows: the values that leads were found for. */
  readonly values?: readonly LedPlace[] | undefined
}

/** The part of the text that is not decided yet: whatever is found begins in it. */
export const undecided = ({ text, progress }: SeenText): string =>
  progress ? text.slice(progress.from) : text

/** Follows one text that grows. Looks at a bounded end of it: each character costs the same, however long the text is. */
export interface Watch {
  /**
   * The place where pending text begins, from which something may still begin or grow, given more of the text; its end if nothing may.
   * Nothing before `from` matters any more; what stands from `shown` on was not shown before.
   */
  pending(text: string, from: number, shown: number): number
  /** Values that begin before this place and are known by what stood before them, even if that went out. Asked once. */
  values?(text: string, limit: number): readonly LedPlace[]
  /** Does nothing that is looked for begin at or behind `from`? Then it is not searched. Asked after `pending`, about the same text. */
  isQuiet?(text: string, from: number): boolean
}

/** The parts that make a guardrail of this frame. */
export interface Search {
  readonly id: string
  readonly name: string
  /** Code units of the longest thing that must be seen whole, 1 to 1024, where the guardrail is shown pieces of a text. */
  readonly window: number
  /** Of one text, what is pending while it grows. */
  readonly watch: () => Watch
  /** How many code units at the end of a text that went out are context of what follows. */
  readonly lookBack: number
  readonly action: GuardAction
  /** Where it looks besides what the model says and thinks. */
  readonly reach: { readonly arguments: boolean; readonly toolResults: boolean }
  /** All that is there, in any order; findings may overlap. */
  readonly find: (seen: SeenText) => readonly Finding[]
  /** Names kinds for the model, with an article: `an email address`. Never what was found. */
  readonly label: (kind: string) => string
  /** Takes out of a text, in which something was taken out once, all else that belongs to it. */
  readonly clean?: (text: string) => string
  /** The same, for a text that grows. */
  readonly tail?: () => TailFlow
  /** How many characters from a place on belong to something of this kind that ends there and may be longer than is seen at once. */
  readonly tailLength?: (kind: string, text: string, from: number) => number
}

/** A text that is looked at in steps. */
const longChars = 16_384

/** Is the text looked at in steps? */
export const isLong = (text: string): boolean => text.length > longChars

/** A guardrail over text and reasoning; it looks at neither calls nor errors. */
export function createSearch(search: Search): Guardrail {
  const { id, name, window, action } = search
  const describe = (kinds: readonly string[]): string =>
    kinds.map((kind) => search.label(kind)).join(', ')
  return {
    id,
    name,
    window,
    parts: ['text', 'reasoning'],
    stage: () => new SearchedText(search),
    handle(part, context) {
      if (part.type !== 'text' && part.type !== 'reasoning') return pass(part)
      const found = settled(search, part.text, context)
      if (action === 'redact') {
        const text = redact(part.text, found)
        const clean = search.clean?.(text) ?? text
        if (clean === part.text) return pass(part)
        const kinds = found.map(({ kind }) => kind)
        return pass({ type: part.type, text: clean }, kinds)
      }
      if (found.length === 0) return pass(part)
      const kinds = [...new Set(found.map(({ kind }) => kind))]
      const { feedback } = guardrailRefusal(search, action, kinds)
      return action === 'stop' ? stop(part, feedback) : fail(feedback)
    },
    inspector: {
      action,
      places: { arguments: search.reach.arguments, results: search.reach.toolResults },
      inspect(text) {
        const found = settled(search, text, { last: true, released: '' })
        if (found.length === 0) return { text, kinds: [] }
        const redacted = redact(text, found)
        const kinds = found.map(({ kind }) => kind)
        return { text: search.clean?.(redacted) ?? redacted, kinds }
      },
      *find(text) {
        const found = isLong(text)
          ? yield* new SearchedText(search).find(text)
          : settled(search, text, { last: true, released: '' })
        const whole: Finding[] = []
        let seen = 0
        for (const { kind, start, end } of found) {
          // The part that the one before it reaches to belongs to that.
          const from = Math.max(start, seen)
          if (end <= from) continue
          seen = end + (search.tailLength?.(kind, text, end) ?? 0)
          whole.push({ kind, start: from, end: seen })
          if (isLong(text)) yield
        }
        return whole
      },
      describe,
    },
  }
}

/**
 * The findings that stay, from left to right, without overlaps. One that touches the end may grow or cease to be: it is
 * left for the next piece, if all of it will be seen again then.
 */
function settled(
  search: Search,
  text: string,
  { last, released }: Pick<GuardrailContext, 'last' | 'released'>,
): readonly Finding[] {
  const all = search.find({ text, before: () => characterBefore(released, released.length) })
  if (all.length === 0) return all
  const found = outsideMarkers(text, allApart(all))
  if (last) return found
  return found.filter(
    ({ start, end, open = end >= text.length - 1 }) => !open || text.length - start > search.window,
  )
}

/** Markers in the place of the findings; `at` tells where a place of theirs stands in this text. */
export function redact(
  text: string,
  findings: readonly Finding[],
  at = (place: number): number => place,
): string {
  let out = ''
  let from = 0
  for (const { start, end, kind } of findings) {
    out += text.slice(from, at(start)) + marker(kind)
    from = at(end)
  }
  return from === 0 ? text : out + text.slice(from)
}
