/** Personal data: published example numbers are found wherever they are split; near misses are left alone. */
import { describe, expect, it } from 'vitest'

import { guardrailOf, inDeltas, judged, play } from './play.ts'

const all = guardrailOf({
  use: 'pii',
  entities: ['email', 'phone', 'ssn', 'credit-card', 'iban', 'ip-address'],
})

/** Test numbers of the card schemes, examples of the IBAN registry, documentation ranges. */
const examples: readonly (readonly [string, string])[] = [
  ['email', 'john.doe+tag@mail.example.co.uk'],
  ['email', 'jürgen@münchen.example'],
  ['email', 'a@b.co'],
  ['phone', '+49 30 901820'],
  ['phone', '+1-212-555-0123'],
  ['phone', '+442079460958'],
  ['phone', '0044 20 7946 0958'],
  ['phone', '(212) 555-0123'],
  ['phone', '212-555-0123'],
  ['phone', '1.212.555.0123'],
  ['ssn', '123-45-6789'],
  ['ssn', '123 45 6789'],
  ['credit-card', '4111111111111111'],
  ['credit-card', '4111 1111 1111 1111'],
  ['credit-card', '5555-5555-5555-4444'],
  ['credit-card', '378282246310005'],
  ['credit-card', '3782 822463 10005'],
  ['credit-card', '6011111111111117'],
  ['credit-card', '30569309025904'],
  ['credit-card', '3530111333300000'],
  ['credit-card', '2223003122003222'],
  ['iban', 'DE89370400440532013000'],
  ['iban', 'DE89 3704 0044 0532 0130 00'],
  ['iban', 'GB82 WEST 1234 5698 7654 32'],
  ['iban', 'FR14 2004 1010 0505 0001 3M02 606'],
  ['iban', 'NO9386011117947'],
  ['iban', 'de89370400440532013000'],
  ['ip-address', '192.0.2.235'],
  ['ip-address', '2001:db8::8a2e:370:7334'],
  ['ip-address', '2001:0db8:0000:0000:0000:8a2e:0370:7334'],
  ['ip-address', '::1'],
]

describe('found', () => {
  it.each(examples)('%s: %s', (kind, text) => {
    expect(judged(all, text)).toBe(`[redacted:${kind}]`)
    expect(judged(all, `(${text}), and "${text}".`)).toBe(
      `([redacted:${kind}]), and "[redacted:${kind}]".`,
    )
  })

  it.each(examples)('%s: %s, at each place of a step, in any deltas', (kind, text) => {
    for (let before = 0; before < 33; before += 1) {
      const head = 'see '.repeat(9).slice(36 - before)
      const tail = ' is what it was, and nothing more is said about it here.'.repeat(4)
      const expected = { text: `${head} [redacted:${kind}]${tail}`, trip: null }
      for (const size of [1, 3, 1000])
        expect(play([all], inDeltas(`${head} ${text}${tail}`, size))).toEqual(expected)
    }
  })

  it('a card number beside other numbers', () => {
    expect(judged(all, '12 4111 1111 1111 1111 123')).toBe('12 [redacted:credit-card] 123')
  })
})

describe('left alone', () => {
  it.each([
    ['a wrong check digit', '4111111111111112'],
    ['no card scheme', '1111111111111117'],
    ['too many digits', '41111111111111111111111'],
    ['a word around it', 'x4111111111111111'],
    ['area 000', '000-45-6789'],
    ['area 666', '666-45-6789'],
    ['area 9xx', '987-65-4321'],
    ['group 00', '123-00-6789'],
    ['serial 0000', '123-45-0000'],
    ['mixed separators', '123-45 6789'],
    ['digits around it', '5123-45-67890'],
    ['a wrong remainder', 'DE89370400440532013001'],
    ['a wrong length', 'DE8937040044053201300'],
    ['no country', 'XX89370400440532013000'],
    ['a number out of range', '192.0.2.256'],
    ['a version of five numbers', '1.2.3.4.5'],
    ['a time', '12:30:45'],
    ['a scope', 'std::vector and a::b'],
    ['seven groups', '1:2:3:4:5:6:7'],
    ['two double colons', '1::2::3'],
    ['no domain', 'me@localhost'],
    ['a handle', '@someone and a @ b'],
    ['a price and a year', 'in 2026 it cost 1,299.00 for 12 months'],
    ['a date', '2026-11-21 17:20:40'],
  ])('%s: %s', (_, text) => {
    expect(judged(all, text)).toBe(text)
    // Not by accident of a cut either, at which the character before is out of sight.
    for (let before = 0; before < 33; before += 1) {
      const whole = `${'. '.repeat(16).slice(32 - before)}${text}${'. '.repeat(200)}`
      expect(play([all], [whole])).toEqual({ text: whole, trip: null })
    }
  })

  it('IP addresses, unless they are asked for', () => {
    expect(judged(guardrailOf({ use: 'pii' }), '192.0.2.235, a@b.co')).toBe(
      '192.0.2.235, [redacted:email]',
    )
  })

  it('its own markers, however often they are seen', () => {
    const once = judged(all, examples.map(([, text]) => text).join(', '))
    expect(judged(all, once)).toBe(once)
  })
})

describe('actions', () => {
  const text = 'Her number is 123-45-6789, her mail is jane@example.com.'

  it('fail: the feedback names the kind in the first person, never the thing', () => {
    const { trip } = play([guardrailOf({ use: 'pii', action: 'fail' })], [text])
    expect(trip).toMatchObject({ outcome: 'fail', guardrail: { id: 'pii' }, partType: 'text' })
    expect(trip?.feedback).toMatch(/^I /)
    expect(trip?.feedback).toContain('a social security number')
    expect(trip?.feedback).not.toMatch(/123|6789|jane/)
  })

  it('stop: the reason names the kinds', () => {
    const guardrail = guardrailOf({ use: 'pii', action: 'stop', id: 'no-ssn', entities: ['ssn'] })
    const { trip } = play([guardrail], [text])
    expect(trip).toMatchObject({
      outcome: 'stop',
      guardrail: { id: 'no-ssn' },
      feedback: 'found: ssn',
    })
  })

  it('looks neither at calls nor at errors: a tool may need an address', () => {
    const call = { type: 'tool_call', name: 'send', args: { to: 'a@b.co' } } as const
    const strict = guardrailOf({ use: 'pii', action: 'stop' })
    const about = { availableTools: [], availableSkills: [], attempt: 0, released: '', last: true }
    expect(strict.handle(call, about)).toEqual({ type: 'pass', part: call })
  })
})
