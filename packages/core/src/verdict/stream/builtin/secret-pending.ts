/**
 * Where a secret may have begun that is not over. Tokens are runs of a few characters: prose has only words that look like the
 * beginning of one. What stands behind a word such as `password` is looked at with that word, which need not wait itself.
 */
import { leads, ledValues, quote } from './secret-values.ts'
import { assignmentSource } from './secret-shapes.ts'

/** So many code units of a token are seen at once; what follows them is taken in. No format is told apart later. */
export const tokenMax = 320

/** The longest way from the beginning of a word that leads to a secret to the secret. */
const leadMax = 128
/** The longest value, and the way to it. */
const ledMax = 200 + leadMax
/** The longest word that leads to a secret. */
const wordMax = 24

/** The header of a private key, from its beginning to its end. */
const keyHeader = /-----BEGIN [A-Z0-9 ]{0,80}-{0,5}$/
const keyHeaderMax = 97

/** The expressions of values, for values that are not over. */
const begun = [assignmentSource, ...ledValues.map(({ source }) => source)].map(begunForm)

/** A remark in parentheses between the word and its value: `password (the old one) is …`. */
const remark =
  /(?:pass|kennwort|contrase|clave|senha|wachtwoord)\S{0,10}(?: \S{1,5}){0,2}\s{0,3}\([^)]{0,20}$/iu

/** Of a text that grows. */
export function pendingSecret(text: string, from: number): number {
  const token = tokenStart(text, from)
  const header = Math.max(from, text.length - keyHeaderMax)
  const key = text.includes('-----BEGIN', header) ? text.slice(header).search(keyHeader) : -1
  return Math.min(token, key < 0 ? token : header + key, pendingValue(text, from))
}

/** The run of characters that tokens are made of, at the end of the text. */
function tokenStart(text: string, from: number): number {
  const since = Math.max(from, text.length - tokenMax)
  let at = text.length
  while (at > since && isToken(text.charCodeAt(at - 1))) at -= 1
  return at
}

/** Letters and digits of ASCII, and `_ - . ~ + / = :`. */
const isToken = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x2d && unit <= 0x3a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  unit === 0x5f ||
  unit === 0x2b ||
  unit === 0x3d ||
  unit === 0x7e

/** Right before a value, or within the run of characters that it ends. Asked first, since prose seldom has one. */
const joint =
  /(?:[:=>：是为為は은는]|\b(?:is|was|ist|war|lautet|est|es|era|bearer|basic|token|digest)|é)\s{0,4}["'`„“«「『]?$/i
const inner = /[:=：是为為は은는]/
/** The longest of the words, and the blanks behind it. */
const jointMax = 16

/** A lead so near may have its joint within the run: `password isX…`. The longest remark, and blanks. */
const remarkMax = 40

/** Where the value begins that a word leads to. No value has a blank in it. */
function pendingValue(text: string, from: number): number {
  const { length } = text
  const since = Math.max(0, length - ledMax)
  const run = runStart(text, since)
  const hasRemark = text.includes('(', since)
  if ((run === length && !hasRemark) || !leads.test(text.slice(since))) return length
  const open = hasRemark ? remark.exec(text.slice(since)) : null
  const first = open ? since + open.index : length
  const isLed =
    run < length &&
    (joint.test(text.slice(Math.max(0, run - jointMax), run)) ||
      inner.test(text.slice(run)) ||
      leads.test(text.slice(Math.max(0, run - remarkMax))))
  return Math.max(
    from,
    isLed ? Math.min(first, valueStart(text, Math.max(0, run - leadMax))) : first,
  )
}

/** Where the run without a blank begins that ends the text. */
function runStart(text: string, since: number): number {
  let at = text.length
  while (at > since && !/\s/.test(text.charAt(at - 1))) at -= 1
  return at
}

function valueStart(text: string, since: number): number {
  const end = text.slice(since)
  let first = text.length
  for (const expression of begun) {
    const [start = 0, stop = 0] = expression.exec(end)?.indices?.[1] ?? []
    if (start === stop) continue
    // `:=` may also be a colon, and a value that begins with an equals sign.
    const sign = end.slice(Math.max(0, start - 2), start) === ':=' ? 1 : 0
    first = Math.min(first, since + start - sign)
  }
  return first
}

/** The same expression of a value that goes on at the end of the text; group 1 is the value. */
function begunForm(source: string): RegExp {
  // A quotation mark that may be left out may also be the beginning of a value of any signs.
  const value = source.endsWith('([!-~]{6,64})') ? source.replace(quote, '') : source
  const open = value.replace(/\{\d+,(\d+)\}\)@?$/, '{0,$1})$')
  return new RegExp(open.replace(/^\(\?i\)/, ''), open.startsWith('(?i)') ? 'diu' : 'du')
}

/** How much of a text that went out leads to what follows. */
export const secretLookBack = (text: string): number =>
  leads.test(text.slice(-leadMax)) ? leadMax : wordMax
