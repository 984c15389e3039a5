/**
 * JSON texts that two readers read in two ways: a key that stands twice in an object, a key `__proto__`, an integer that a
 * double does not hold. One of the readers may have judged the text, and the other may act on it, so such a text is refused.
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

/** What is ambiguous in a text that is JSON; null if nothing is. Linear in its length. */
export function ambiguityOf(json: string): string | null {
  // The keys of each open object; null for a list.
  const open: (Set<string> | null)[] = []
  let isKey = false
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
      const problem = isKey && top !== null ? keyProblem(top, found) : null
      if (problem !== null) return problem
    } else if (/^-?\d+$/.test(found) && !Number.isSafeInteger(Number(found)))
      return 'an integer is larger than 2^53 - 1; write it as a text'
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
