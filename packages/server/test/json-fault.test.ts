/** The line of a mistake in JSON: found for every text that is refused, and for no other. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonFault } from '../src/config/json-fault.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A text of JSON over several lines, in which one place was changed. */
const almostJson = fc
  .tuple(
    fc.jsonValue({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom(
      '',
      ',',
      '"',
      "'",
      '}',
      ']',
      '{',
      ':',
      '\\',
      '/',
      '\n',
      '\t',
      '0',
      '-',
      '.',
      'e',
      'x',
    ),
    fc.nat({ max: 1 }),
  )
  .map(([value, place, piece, cut]) => {
    const text = JSON.stringify(value, null, 1)
    const at = place % (text.length + 1)
    return text.slice(0, at) + piece + text.slice(at + cut)
  })

describe('a fault of JSON', () => {
  it('is found exactly where JSON.parse finds one', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        expect(jsonFault(text) === null).toBe(isJson(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('stands on a line of the text, and no line after it matters', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        const fault = jsonFault(text)
        if (fault === null) return
        const lines = text.split('\n')
        expect(fault.line).toBeGreaterThanOrEqual(1)
        expect(fault.line).toBeLessThanOrEqual(lines.length)
        // One that ends in the middle has its fault at its end, wherever that is.
        const upTo = fault.why.includes('ends in the middle') ? lines.length : fault.line
        const cut = `${lines.slice(0, upTo).join('\n')}${upTo < lines.length ? '\n' : ''}`
        expect(jsonFault(cut)?.line).toBe(fault.line)
      }),
      { numRuns: 1000 },
    )
  })

  const faults: readonly (readonly [string, number, RegExp])[] = [
    ['{\n"a": 1,\n}', 3, /no comma before }/],
    ['[1,\n2\n3]', 3, /comma is missing here, or \]/],
    ['{\n"a" 1}', 2, /colon is missing/],
    ['{\na: 1}', 2, /double quotation marks/],
    ['{"a":\n"b\n"}', 2, /no closing quotation mark/],
    ['{"a": 01}', 1, /comma is missing here/],
    ['{"a": NaN}', 1, /none of JSON/],
    ['{}\n{}', 2, /something follows the end/],
    ['{} // done', 1, /no comments/],
    ['['.repeat(5000), 1, /more than 500 deep/],
  ]
  it.each(faults)('%j is told on line %i', (text, line, why) => {
    expect(jsonFault(text)).toEqual({ line, why: expect.stringMatching(why) })
  })
})
