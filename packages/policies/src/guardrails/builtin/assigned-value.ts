/** Values given to a name that says that they are secret: `DB_PASSWORD=…`, `"clientSecret": "…"`. */
import type { MatchPlace } from '../matches.ts'
import { type LedValue, run } from './led-value.ts'
import { looksRandom } from './randomness.ts'
import { isAboutSecret } from './vendor-values.ts'

const noun =
  'passw(?:or)?d|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential'

/** A value, and not the place in a program where one is read from. */
const isLiteral = (value: string): boolean =>
  looksRandom(value) && !/^(?:process\.env|import\.meta\.env|os\.environ|ENV)\b/.test(value)

function accept(text: string, { start, end }: MatchPlace): MatchPlace | null {
  // `:=` is one sign. The quote behind the value is escaped, where a program stands in JSON.
  const from = text[start] === '=' && text[start - 1] === ':' ? start + 1 : start
  const place = { start: from, end: text[end - 1] === '\\' ? end - 1 : end }
  const value = text.slice(place.start, place.end)
  return isLiteral(value) && !isAboutSecret(text, place.start) ? place : null
}

export const assignedValue: LedValue = {
  lead: `(?i)(?:${noun})[a-z0-9_-]{0,20}\\\\?["'\`]?\\s{0,4}(?:=>|:=|[:=])\\s{0,4}\\\\?["'\`]?`,
  form: run('[^\\s"\'`,;<>\\[\\]()\\{\\}]', 8, 128),
  accept,
}
