/**
 * Where a text stops being JSON, in words that say what to write there. The messages of `JSON.parse` name no line in most
 * cases, and quote what stands there, which may be a secret.
 */

/** The first place that is no JSON. */
export interface JsonFault {
  /** Counted from 1. */
  readonly line: number
  readonly why: string
}

const depthMax = 500
const space = /[ \t\r\n]*/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
// oxlint-disable-next-line no-control-regex -- JSON allows no control character in a text
const text = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y

class Fault extends Error {
  readonly at: number

  constructor(at: number, why: string) {
    super(why)
    this.at = at
  }
}

/** The fault of a text that `JSON.parse` refuses; null if there is none. */
export function jsonFault(json: string): JsonFault | null {
  try {
    const end = skip(json, readValue(json, 0, 0))
    if (end < json.length) throw new Fault(end, odd(json, end) ?? 'something follows the end')
    return null
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    return { line: json.slice(0, fault.at).split('\n').length, why: fault.message }
  }
}

function match(pattern: RegExp, json: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(json) ? pattern.lastIndex : null
}

const skip = (json: string, at: number): number => match(space, json, at) ?? at

/** The end of the value that begins there. */
function readValue(json: string, from: number, depth: number): number {
  const at = skip(json, from)
  if (depth > depthMax)
    throw new Fault(at, `objects and lists stand in each other more than ${depthMax} deep`)
  const first = json.charAt(at)
  if (first === '{') return readMembers(json, at, depth)
  if (first === '[') return readEntries(json, at, depth)
  if (first === '"') return readText(json, at)
  const end = match(scalar, json, at)
  if (end !== null) return end
  throw new Fault(at, odd(json, at) ?? 'a value is missing, or is none of JSON')
}

function readText(json: string, at: number): number {
  const end = match(text, json, at)
  if (end !== null) return end
  throw new Fault(
    at,
    'the text that begins here has no closing quotation mark, or holds a line break or a lone backslash',
  )
}

function readMembers(json: string, open: number, depth: number): number {
  return readParts(json, { open, close: '}' }, (at) => {
    if (json.charAt(at) !== '"')
      throw new Fault(at, odd(json, at) ?? 'a key stands in double quotation marks')
    const colon = skip(json, readText(json, at))
    if (json.charAt(colon) !== ':')
      throw new Fault(colon, odd(json, colon) ?? 'a colon is missing behind the key')
    return readValue(json, colon + 1, depth + 1)
  })
}

const readEntries = (json: string, open: number, depth: number): number =>
  readParts(json, { open, close: ']' }, (at) => readValue(json, at, depth + 1))

function readParts(
  json: string,
  { open, close }: { readonly open: number; readonly close: string },
  readPart: (at: number) => number,
): number {
  let at = skip(json, open + 1)
  if (json.charAt(at) === close) return at + 1
  for (;;) {
    at = skip(json, readPart(at))
    if (json.charAt(at) === close) return at + 1
    if (json.charAt(at) !== ',')
      throw new Fault(at, odd(json, at) ?? `a comma is missing here, or ${close}`)
    at = skip(json, at + 1)
    if (json.charAt(at) === close)
      throw new Fault(at, `JSON takes no comma before ${close}: leave it out`)
  }
}

/** What people write that other languages allow; null for anything else. */
function odd(json: string, at: number): string | null {
  if (at >= json.length) return 'it ends in the middle: a bracket or a quotation mark is not closed'
  if (/^(?:\/\/|\/\*|#)/.test(json.slice(at, at + 2))) return 'JSON has no comments: leave it out'
  if (json.charAt(at) === "'") return 'JSON takes double quotation marks'
  return null
}
