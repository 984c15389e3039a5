/**
 * JSON texts that two readers read in two ways: a key that stands twice in an object, a key `__proto__`, a number that a double
 * does not hold. One of the readers may have judged the text, and the other may act on it, so such a text is refused.
 */

const word = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\],]/y
const skipped = /[^"{}[\],\d-]+/y

/** The string, number or sign at a place; empty at the end. */
function tokenAt(json: string, at: number): string {
  if (json.charAt(at) !== '"') {
    word.lastIndex = at
    return word.exec(json)?.[0] ?? ''
  }
  let end = at + 1
  while (end < json.length && json.charAt(end) !== '"') end += json.charAt(end) === '\\' ? 2 : 1
  return json.slice(at, end + 1)
}

/** What is ambiguous in a text that is JSON, with the key where it is; null if nothing is. Linear in its length. */
export const ambiguityOf = (json: string): string | null => firstIn(json, numberProblem)

/** The same of the keys alone, for a text whose numbers decide nothing. */
export const ambiguousKeyIn = (json: string): string | null => firstIn(json, () => null)

function firstIn(
  json: string,
  problemOf: (number: string, key: string | null) => string | null,
): string | null {
  // The keys of each open object; null for a list.
  const open: (Set<string> | null)[] = []
  let isKey = false
  // The last one that was read, as it is quoted: that of a number, or of the list that the number stands in.
  let key: string | null = null
  let at = 0
  while (at < json.length) {
    skipped.lastIndex = at
    if (skipped.test(json)) at = skipped.lastIndex
    const found = tokenAt(json, at)
    if (found === '') return null
    at += found.length
    const top = open.at(-1) ?? null
    if (found === '{' || found === '[') open.push(found === '{' ? new Set() : null)
    else if (found === '}' || found === ']') open.pop()
    else if (found.startsWith('"')) {
      const isNamed = isKey && top !== null
      if (isNamed) key = found
      const problem = isNamed ? keyProblem(top, found) : null
      if (problem !== null) return problem
    } else if (found !== ',') {
      const problem = problemOf(found, key)
      if (problem !== null) return problem
    }
    isKey = found === '{' || (found === ',' && top !== null)
  }
  return null
}

function keyProblem(keys: Set<string>, quoted: string): string | null {
  const key: unknown = JSON.parse(quoted)
  if (typeof key !== 'string') return null
  if (key === '__proto__') return 'there is a key "__proto__"'
  if (keys.has(key)) return `the key ${quoted.slice(0, 80)} stands twice in an object`
  keys.add(key)
  return null
}

function numberProblem(number: string, key: string | null): string | null {
  const value = Number(number)
  const isWhole = /^-?\d+$/.test(number)
  // Beyond 2^53 - 1 a double stands for many numbers: with a fraction or an exponent, only the one that it is written as is meant.
  const isHeld =
    Math.abs(value) <= Number.MAX_SAFE_INTEGER ||
    (!isWhole && Number.isFinite(value) && digitsOf(number) === digitsOf(String(value)))
  if (isHeld) return null
  const place = key === null ? '' : ` at ${key.slice(0, 80)}`
  if (isWhole) return `an integer${place} is larger than 2^53 - 1; write it as a text`
  return Number.isFinite(value)
    ? `a number${place} has more digits than a double holds; write it as a text`
    : `a number${place} is larger than any double; write it as a text`
}

/** Its digits, without the zeros before and behind them. */
function digitsOf(number: string): string {
  const digits = number.replace(/[eE].*$/, '').replaceAll(/[-.]/g, '')
  let [from, to] = [0, digits.length]
  while (from < to && digits[from] === '0') from += 1
  while (to > from && digits[to - 1] === '0') to -= 1
  return digits.slice(from, to)
}
