/** Values behind leads, in a text that grows: as an expression finds them, also when the automaton has forgotten its states meanwhile. */
import { describe, expect, it } from 'vitest'
import { LeadMachine } from '../../src/guardrails/lead-machine.ts'
import { LeadScan } from '../../src/guardrails/lead-scan.ts'

/** Fourteen letters back stood an `a`: each of 2^14 ways to get there is a state. */
const lead = 'a[ab]{13}='
const form = { whole: /([0-9]+)(?![0-9])/y, begun: /[0-9]*$/y }

/** 80,000 letters at random, each sixteenth followed by a value. Numerical Recipes' generator, so that a failure comes back. */
function textOf(seed: number): string {
  let state = seed
  let text = ''
  for (let n = 0; n < 80_000; n += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += state >>> 31 === 1 ? 'a' : 'b'
    if (n % 16 === 15) text += `=${state % 1000};`
  }
  return text
}

function scanned(text: string, piece: number): readonly (readonly [number, string])[] {
  const scan = new LeadScan(new LeadMachine([lead]), [form])
  let shown = ''
  for (let at = 0; at < text.length; at += piece) {
    const before = shown.length
    shown += text.slice(at, at + piece)
    scan.pending(shown, before)
  }
  return scan.values(text, Infinity).map(({ start, end }) => [start, text.slice(start, end)])
}

describe('values behind leads', () => {
  it.each([7, 100, 4096])('are found whatever was forgotten, in pieces of %i', (piece) => {
    const text = textOf(piece)
    const expected = [...text.matchAll(/(?<=a[ab]{13}=)[0-9]+/g)].map(({ 0: value, index }) => [
      index,
      value,
    ])

    expect(expected.length).toBeGreaterThan(300)
    expect(scanned(text, piece)).toEqual(expected)
  })
})
