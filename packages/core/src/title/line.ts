/**
 * A line as a title may show it: plain words, without marks of Markdown, control characters, or marks that turn the direction of the
 * text around them.
 *
 * T1 The work is bounded: only the first `limits.titleSourceCharsMax` characters of a text are looked at.
 * T2 A title has at most `limits.titleGraphemesMax` characters as people count them, and is cut between words.
 */
import { limits } from '../limits.ts'

/**
 * Controls, the marks by which a text could turn the text beside it, and whatever else nobody sees, in which words can be hidden. What is
 * seen, or joins what is seen, stays: the joiners of emoji and of scripts, signs over numbers in Arabic, the tags behind a black flag.
 */
const unshown =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- control characters are what this is about
  /(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]{0,8})[\u{E0000}-\u{E007F}]|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|(?!(?:\u200C|\u200D|[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\u{E0000}-\u{E007F}]))\p{Cf}|[\u{E0100}-\u{E01EF}\u115F\u1160\u2800\u3164\uFFA0]/gu

/** The marks that begin a line of Markdown: headings, quotes, lists, tasks. */
const opening = /^(?:#{1,6}(?=\s|$)|>|[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$)|\[[ xX]\](?=\s|$))\s*/
/** A line that is drawn, not said: fences, rules, borders of tables. */
const drawn = /^(?:`{3,}.*|~{3,}.*|[-*_=\s|:]{3,}|\|[\s|:-]*\|)$/
/** `/skill` before the words. A path goes on with a slash. */
const command = /^\/[a-zA-Z][\w-]*(?=\s|$)\s*/

/** Without halves of characters, which a cut may leave. */
export const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')

/** The lines of a text, of its first characters. */
export const linesOf = (text: string): readonly string[] =>
  wellFormed(text.slice(0, limits.titleSourceCharsMax)).split(/\r\n|[\n\r\u0085\u2028\u2029]/)

/** The words of a line. Empty if it has none. */
export function plainLine(line: string): string {
  let rest = line.replaceAll(unshown, '').replaceAll(/\s+/g, ' ').trim()
  if (drawn.test(rest)) return ''
  for (let left = openingsMax; left > 0 && opening.test(rest); left--)
    rest = rest.replace(opening, '')
  return withoutMarks(rest.replace(command, '')).replaceAll(/\s+/g, ' ').trim()
}

/** Marks that may begin one line, one behind the other: a quoted list of tasks has three. */
const openingsMax = 8

/** The text of links and images, and of what is emphasised. */
const withoutMarks = (line: string): string =>
  line
    .replaceAll(/!?\[([^[\]]*)\]\([^()\s]*(?:\s"[^"]*")?\)/g, '$1')
    .replaceAll(/`{1,3}([^`]+)`{1,3}/g, '$1')
    .replaceAll(/(\*{1,3}|~~)(?=\S)([^*~]+?)(?<=\S)\1/g, '$2')
    .replaceAll(/(?<![\p{L}\p{N}_])(_{1,3})(?=\S)([^_]+?)(?<=\S)\1(?![\p{L}\p{N}_])/gu, '$2')
    .replace(/\s#+$/, '')

/** Characters as people count them: an emoji of a family is one. */
export const graphemesOf = (text: string): readonly string[] =>
  Array.from(
    new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text),
    ({ segment }) => segment,
  )

/** Is the text no longer than a title may be? */
export const fitsTitle = (text: string): boolean =>
  text.length <= limits.titleCharsMax && graphemesOf(text).length <= limits.titleGraphemesMax

/** The text, or as many of its words as a title takes, and `…`. */
export function cutToTitle(text: string): string {
  if (fitsTitle(text)) return text
  const head = headOf(graphemesOf(text))
  const follows = text.charAt(head.length)
  const space = head.lastIndexOf(' ')
  const isWhole = follows === ' ' || follows === '' || space < 0
  const cut = isWhole ? head : head.slice(0, space)
  return `${cut.replace(/[\s,;:.!?–—-]+$/u, '')}…`
}

/** As many characters as leave room for `…`. */
function headOf(all: readonly string[]): string {
  let head = ''
  for (const each of all.slice(0, limits.titleGraphemesMax - 1)) {
    if (head.length + each.length >= limits.titleCharsMax) break
    head += each
  }
  return head
}

/** A line as a person may call a thread: without what is not shown. Marks of Markdown stay, they were meant. */
export const cleanTitle = (text: string): string =>
  text.replaceAll(unshown, '').replaceAll(/\s+/g, ' ').trim()
