/**
 * What a stream makes of a text is what a search of the whole text makes of it, in whatever pieces it came. Would catch: text that
 * goes out too soon, a finding that depends on deltas, and a beginning that goes out when a part is cut off.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createStreamGuard } from '../../src/guardrails/create-stream-guard.ts'
import type { Guardrail } from '../../src/guardrails/part.ts'
import { context, guardrailOf, inDeltas, play, split } from './play.ts'
import {
  formatSamples,
  identitySamples,
  leadPieces,
  ledSamples,
  loosePieces,
  prosePieces,
  secretSamples,
  sentenceSamples,
} from './samples.ts'

const runs = Number(process.env['HOLD_BACK_RUNS'] ?? 1500)

const led = ledSamples.map(([lead, value]) => lead + value)
const samples = [...secretSamples, ...identitySamples, ...led, ...formatSamples]
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...secretSamples, ...identitySamples, ...led) },
  { weight: 2, arbitrary: fc.constantFrom(...formatSamples, ...sentenceSamples) },
  { weight: 3, arbitrary: fc.constantFrom(...prosePieces) },
  { weight: 6, arbitrary: fc.constantFrom(...loosePieces) },
  { weight: 4, arbitrary: fc.constantFrom(...leadPieces) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...samples, ...sentenceSamples), fc.nat(60), fc.nat(60))
      .map(([sample, from, length]) => sample.slice(from % 3 === 0 ? from : 0, from + length)),
  },
)
const texts = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))
const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 })

const entities = ['email', 'phone', 'ssn', 'cn-resident-id', 'credit-card', 'iban', 'ip-address']
const patterns = [
  { name: 'id', pattern: '(?i)\\bid-[0-9]{2,6}\\b' },
  { name: 'quoted', pattern: '"[^"]{1,20}"' },
  { name: 'end', pattern: 'x{1,3}$|^The' },
]
const specs: readonly (readonly [string, object])[] = [
  ['pii', { use: 'pii', entities }],
  ['secrets', { use: 'secrets' }],
  [
    'terms',
    {
      use: 'banned-terms',
      action: 'redact',
      terms: ['bad', 'abcd', 'bc', 'cd', 'redacted', '用', 'é'],
    },
  ],
  [
    'parts of words',
    {
      use: 'banned-terms',
      action: 'redact',
      wholeWord: false,
      terms: ['a', 'ab', 'bcd', 'cd', 'Paß'],
    },
  ],
  ['patterns', { use: 'patterns', patterns }],
]

/** What went out after each delta, and at the end. */
function followed(guardrails: readonly Guardrail[], deltas: readonly string[]) {
  const guard = createStreamGuard({ guardrails, context })
  let out = ''
  const states = deltas.map((delta) => {
    const guarded = guard.push('text', delta)
    if (guarded.type === 'released') out += guarded.text
    return out
  })
  const ended = guard.end('text')
  return { states, text: out + (ended.type === 'released' ? ended.text : ''), guard }
}

describe.each(specs)('%s', (_name, spec) => {
  const guardrail = guardrailOf(spec)

  it('a stream in any pieces ends as a search of the whole text does, and was on its way there', () => {
    fc.assert(
      fc.property(texts, lengths, (text, sizes) => {
        const whole = guardrail.inspector?.inspect(text)
        const { states, text: out, guard } = followed([guardrail], split(text, sizes))
        expect(out).toBe(whole?.text)
        for (const state of states) expect(out.startsWith(state)).toBe(true)
        const counted = guard.redacted().reduce((sum, { count }) => sum + count, 0)
        expect(counted).toBe(whole?.kinds.length)
      }),
      { numRuns: runs },
    )
  })

  it('a refusal, and all that went out before it, is the same in any pieces', () => {
    const strict = guardrailOf({ ...spec, action: 'stop' })
    fc.assert(
      fc.property(texts, lengths, (text, sizes) => {
        expect(play([strict], split(text, sizes))).toEqual(play([strict], [text]))
      }),
      { numRuns: Math.ceil(runs / 3) },
    )
  })
})

// Terms that overlap are left out: a window saw the text again after the first was taken out, and then found what that had hidden.
const apartSpecs = specs.filter(([name]) => name !== 'parts of words')

it.each(apartSpecs)(
  '%s: as the windows of before, where everything stands by itself',
  (_name, spec) => {
    const guardrail = guardrailOf(spec)
    const { id, name, window = 0 } = guardrail
    const before: Guardrail = {
      id,
      name,
      window,
      handle: (part, about) => guardrail.handle(part, about),
    }
    const apart = fc
      .array(fc.constantFrom(...secretSamples, ...identitySamples, ...led, ...prosePieces), {
        maxLength: 12,
      })
      .map((pieces) => pieces.join(' ; '))
    fc.assert(
      fc.property(apart, lengths, (text, sizes) => {
        const now = play([guardrailOf(spec)], split(text, sizes))
        expect(now).toEqual(play([before], [text]))
      }),
      { numRuns: Math.ceil(runs / 10) },
    )
  },
)

it('chains, also with guardrails of a user between them: the same in any pieces', () => {
  const own: Guardrail = {
    id: 'own',
    name: 'Own',
    window: 7,
    handle: (part) =>
      'text' in part
        ? { type: 'pass', part: { ...part, text: part.text.replaceAll('she said', 'they said') } }
        : { type: 'pass', part },
  }
  const chain = specs.map(([, spec]) => guardrailOf(spec))
  const strict = specs.map(([, spec]) => guardrailOf({ ...spec, action: 'stop' }))
  const chains = [
    chain,
    [chain[1], own, chain[0]],
    [own, chain[2], strict[0]],
    [chain[0], strict[1], strict[4]],
  ].map((list) => list.flatMap((each) => each ?? []))
  fc.assert(
    fc.property(texts, lengths, fc.nat(chains.length - 1), (text, sizes, n) => {
      const used = chains[n] ?? []
      expect(play(used, split(text, sizes))).toEqual(play(used, [text]))
    }),
    { numRuns: runs },
  )
})

describe('what is pending', () => {
  const usual = [guardrailOf({ use: 'secrets' }), guardrailOf({ use: 'pii', entities })]
  const cases = [
    ...[...secretSamples, ...identitySamples].map((sample) => ['', sample] as const),
    ...ledSamples,
  ]

  it.each(cases)('%s%s: no beginning of it goes out, and nothing else waits', (lead, sample) => {
    const before = `It was said: ${lead}`
    for (let length = 1; length < sample.length; length += 1) {
      const begun = sample.slice(0, length)
      const guard = createStreamGuard({ guardrails: usual, context })
      let out = ''
      for (const delta of inDeltas(before + begun, 3)) {
        const guarded = guard.push('text', delta)
        if (guarded.type === 'released') out += guarded.text
      }
      expect(before.startsWith(out)).toBe(true)
      const waits = before.length + begun.length - out.length
      // The scheme and the host of an address wait with the password in it, as does the name of a cookie.
      const withLead = lead.length - lead.trimEnd().lastIndexOf(' ') - 1
      expect(waits).toBeLessThanOrEqual(begun.length + (lead.endsWith(' ') ? 0 : withLead))
      const cut = guard.cut('text')
      expect(cut).toEqual({ type: 'released', text: '' })
    }
  })
})
