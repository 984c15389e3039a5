/**
 * Texts that are judged in steps, such as a result of 16 MB. Would catch: a process that does nothing else meanwhile, so that its leases
 * run out; a finding at the border of two steps; a time that grows faster than the text.
 */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactResult } from '../../src/guardrails/inspect.ts'
import { inSteps } from '../../src/guardrails/steps.ts'
import { guardrailOf } from './play.ts'
import {
  formatSamples,
  identitySamples,
  leadPieces,
  ledSamples,
  loosePieces,
  prosePieces,
  secretSamples,
} from './samples.ts'

const reach = { arguments: true, toolResults: true }
const secrets = guardrailOf({ use: 'secrets', ...reach })
const pii = guardrailOf({ use: 'pii', ...reach })
const terms = guardrailOf({ use: 'banned-terms', terms: ['Acme Gold', 'δοκιμή'], ...reach })
const patterns = guardrailOf({
  use: 'patterns',
  patterns: [{ name: 'order', pattern: '\\bO-[0-9]{4,9}\\b' }],
  ...reach,
})

const led = ledSamples.map(([lead, value]) => lead + value)
const piece = fc.constantFrom(
  ...secretSamples,
  ...identitySamples,
  ...led,
  ...formatSamples,
  ...prosePieces,
  ...loosePieces,
  ...leadPieces,
  'Acme Gold',
  'O-12345',
  '\n',
  ' ',
  '💥',
  '\ud800',
)
/**
 * Long enough for several steps, with more in them than at their borders. Apart from each other: of secrets that stick together some is
 * taken for the tail of the one or of the other.
 */
const longTexts = fc
  .tuple(fc.array(piece, { minLength: 40, maxLength: 120 }), fc.nat(4096))
  .map(([pieces, shift]) => {
    const some = pieces.join(' \n')
    const times = Math.ceil(20_000 / Math.max(1, some.length))
    return 'x'.repeat(shift) + ` ${some}`.repeat(times)
  })

/** Where a secret goes on in another one, they are one or two. */
const asOne = (text: string): string =>
  text.replaceAll(/\[redacted:[a-z0-9-]+\](?:[.=~%+/]*\[redacted:[a-z0-9-]+\])*/g, '[gone]')

/** Where two long texts part, some of both. */
function parted(one: string, other: string): readonly [string, string] {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return [one.slice(at - 60, at + 120), other.slice(at - 60, at + 120)]
}

describe.each([secrets, pii, terms, patterns])('a long text, judged in steps: $name', (guard) => {
  it('is judged as in one', { timeout: 120_000 }, async () => {
    const { inspector } = guard
    if (!inspector) throw new Error('no inspector')
    await fc.assert(
      fc.asyncProperty(longTexts, async (text) => {
        const { text: whole, kinds } = inspector.inspect(text)
        const found = await inSteps(inspector.find(text))
        let shown = ''
        let from = 0
        for (const { start, end, kind } of found) {
          shown += `${text.slice(from, start)}[redacted:${kind}]`
          from = end
        }
        const [steps, once] = parted(asOne(shown + text.slice(from)), asOne(whole))
        expect(steps).toBe(once)
        const counted = guard === secrets ? [] : found.map(({ kind }) => kind)
        expect(counted).toEqual(guard === secrets ? [] : kinds)
      }),
      { numRuns: 25 },
    )
  })
})

describe('while a long text is judged', () => {
  const base64 = randomBytes(768 * 1024).toString('base64')
  const escaped = String.raw`A`.repeat(150_000)
  const lines = Array.from({ length: 40_000 }, (_, n) => `row ${n} of all`)
  it.each([
    ['one text', base64],
    ['escapes', escaped],
    ['many texts', { lines }],
    ['many keys', Object.fromEntries(lines.map((line) => [line, 1]))],
  ])('others have their turn: %s', { timeout: 120_000 }, async (_name, value) => {
    let turns = 0
    const timer = setInterval(() => (turns += 1), 0)
    await redactResult(value, [secrets, pii])
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
  })
})
