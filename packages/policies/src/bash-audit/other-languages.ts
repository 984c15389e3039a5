/**
 * Programs in other languages, of which only so much is told: does one fetch or decode something, and does it run what it fetched, decoded
 * or reads?
 *
 * L1 Found are the names that their libraries have for it, nothing that a program puts together.
 */
import type { Word } from '../shell/script.ts'

const fetches =
  /\burlopen\b|\brequests\.(?:get|post)\b|\bhttpx\.get\b|\bfetch\(|\bLWP::|\bget\(["']https?:|\bHTTP::Tiny\b|\bNet::HTTP\b|\bfile_get_contents\(["']https?:/
const decodes =
  /\bb(?:64|32|85)decode\b|\bdecode_base64\b|\bbase64_decode\b|["']base64["']\)|\batob\(|\bBase64\.\w*decode/

/** A call that runs a text, and the next few words: a method of that name is none. */
const runs = /(?<![.\w])(?:exec|eval)\b.{0,120}/gs
const reads = /\bstdin\b|\bSTDIN\b|\binput\(/
const awkRuns = /\bsystem\s*\([^)]*\$|\$[^|;}]*\|\s*"(?:\/bin\/)?(?:ba|da|z|k)?sh\b/
const sedRuns =
  /^(?:\d+|\$)?\s*e(?:\s|$)|(?:^|[;\n{}]\s*)s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiIm0-9]*e/s

/** A kind of text that must not become a program. */
type Kind = 'download' | 'decoded'

/** The kinds of what a program prints, as far as it says. */
export const printedKinds = (text: string): readonly Kind[] => [
  ...(fetches.test(text) ? (['download'] as const) : []),
  ...(decodes.test(text) ? (['decoded'] as const) : []),
]

/** The kinds of what a program runs itself. */
export const ranKinds = (text: string): ReadonlySet<Kind> =>
  new Set((text.match(runs) ?? []).flatMap(printedKinds))

/** Does a program, by these words, run what comes in? */
export function runsInput(name: string, words: readonly Word[]): boolean {
  const texts = words.slice(1).map(({ text }) => text)
  if (/^[gmn]?awk$/.test(name)) return texts.some((text) => awkRuns.test(text))
  if (name === 'sed' || name === 'gsed') return texts.some((text) => sedRuns.test(text))
  if (name === 'crontab') return texts.every((text) => isInput(text))
  if (/^(?:g?make|pwsh|powershell)$/.test(name))
    return texts.some(
      (text, at) => /^-(?:f|[Cc]ommand|[Ff]ile)$/.test(texts[at - 1] ?? '') && isInput(text),
    )
  return texts.some((text) => (text.match(runs) ?? []).some((each) => reads.test(each)))
}

const isInput = (text: string): boolean => text === '-' || text === '/dev/stdin'
