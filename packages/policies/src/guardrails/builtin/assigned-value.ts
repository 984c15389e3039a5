/** Values given to a name that says that they are secret: `DB_PASSWORD=…`, `"clientSecret": "…"`. */
import type { MatchPlace } from '../matches.ts'
import { type LedValue, quoteBefore, run, unescapedEnd } from './led-value.ts'
import { looksRandom } from './randomness.ts'
import { isAboutSecret } from './vendor-values.ts'

const noun =
  'passw(?:or)?d|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential'

/** A value, and not the place in a program where one is read from. */
const isLiteral = (value: string): boolean =>
  looksRandom(value) && !/^(?:process\.env|import\.meta\.env|os\.environ|ENV)\b/.test(value)

function accept(text: string, { start, end }: MatchPlace): MatchPlace | null {
  // `:=` is one sign.
  const from = text[start] === '=' && text[start - 1] === ':' ? start + 1 : start
  const place = { start: from, end: unescapedEnd(text, from, end) }
  const value = text.slice(place.start, place.end)
  return isLiteral(value) && !isAboutSecret(text, place.start) ? place : null
}

export const assignedValue: LedValue = {
  lead: `(?i)(?:${noun})[a-z0-9_-]{0,20}${quoteBefore}\\s{0,4}(?:=>|:=|[:=])\\s{0,4}${quoteBefore}`,
  form: run('[^\\s"\'`,;<>\\[\\]()\\{\\}]', 8, 128),
  accept,
}
