/** Words and phrases that may not be said. */
import {
  characterAt,
  characterBefore,
  escapeCharsMax,
  freeAfter,
  freeBefore,
  isWord,
} from '../border.ts'
import { createSearch } from '../finding.ts'
import type { MatchPlace } from '../matches.ts'
import type { Guardrail } from '../part.ts'
import type { BannedTermsSpec } from '@signalbox/core'
import { createTermMatcher } from './term-matcher.ts'

/** Looks for the terms in text and reasoning; what it takes out is marked `[redacted:banned-term]`. */
export function createBannedTerms(spec: BannedTermsSpec): Guardrail {
  const fold = spec.caseSensitive ? (text: string): string => text : foldCase
  const terms = spec.terms.map(fold)
  const matcher = createTermMatcher(terms)
  const longest = Math.max(...terms.map(({ length }) => length))
  return createSearch({
    id: spec.id ?? spec.use,
    name: 'Banned terms',
    window: longest,
    action: spec.action,
    reach: spec,
    watch: () => {
      const followed = matcher.follow()
      return {
        pending: (text, _from, shown) => text.length - followed.pending(fold(text.slice(shown))),
        isQuiet: (text, from) => text.length - from <= followed.since,
      }
    },
    // At each place the longest term is found, wherever it began.
    lookBack: Math.max(longest, escapeCharsMax),
    find: (seen) => {
      const { text } = seen
      // A border is asked for only where the term itself has a letter or a digit at that side.
      const accepts = ({ start, end }: MatchPlace): boolean =>
        !spec.wholeWord ||
        ((!isWord(characterAt(text, start)) || freeBefore(seen, start)) &&
          (!isWord(characterBefore(text, end)) || freeAfter(seen, end)))
      return matcher.find(fold(text), accepts).map((place) => ({ ...place, kind: 'banned-term' }))
    },
    label: () => 'a term that is not allowed',
  })
}

/** Lower case, code unit by code unit, so that places stay what they are. Both small sigmas are one. */
function foldCase(text: string): string {
  const lower = text.toLowerCase()
  const same = lower.length === text.length ? lower : Array.from(text, foldCharacter).join('')
  return same.includes('ς') ? same.replaceAll('ς', 'σ') : same
}

/** A letter that would grow stays as it is. */
function foldCharacter(character: string): string {
  const lower = character.toLowerCase()
  return lower.length === character.length ? lower : character
}
