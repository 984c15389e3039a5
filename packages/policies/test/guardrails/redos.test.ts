/** No pattern takes more than time in proportion to the text: it is refused, or it runs on a linear engine. */
import { describe, expect, it } from 'vitest'

import { guardProblem } from '../../src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../../src/guardrails/create-stream-guard.ts'
import { StreamGuardSpec } from '@signalbox/core'
import { attackOf, boundedForm, evilPatterns } from './evil-patterns.ts'
import { context, guardrailOf } from './play.ts'

const attackChars = 200_000

const specOf = (pattern: string) =>
  StreamGuardSpec.parse({ use: 'patterns', patterns: [{ name: 'evil', pattern }] })

/** What a user reads, by what is wrong. */
const reasons = [
  /^pattern evil: error parsing regexp: (invalid or unsupported Perl syntax|invalid escape sequence|invalid named capture|invalid repeat count): /,
  /^pattern evil: can match without end/,
  /^pattern evil: can match \d+ UTF-16 code units .* 1024 are seen at once$/,
  /^pattern evil: matches the empty text$/,
]

describe('evil patterns', () => {
  it('are a list of at least 40', () => {
    expect(new Set(evilPatterns.map(({ pattern }) => pattern)).size).toBeGreaterThanOrEqual(40)
    expect(new Set(evilPatterns.map(({ from }) => from)).size).toBeGreaterThanOrEqual(5)
  })

  it.each(evilPatterns)('$pattern is refused with a reason, or runs over 200 kB', (evil) => {
    const attack = attackOf(evil, attackChars)
    expect(attack).toHaveLength(attackChars)
    const problem = guardProblem(specOf(evil.pattern))
    const outcome = problem === null ? run(evil.pattern, attack) : reasonIn(problem)
    expect(['ran to the end', 'refused']).toContain(outcome)
  })

  it.each(evilPatterns)('$pattern, with bounds, runs over 200 kB', (evil) => {
    const bounded = boundedFormOf(evil.pattern)
    // Look-around, back-references and patterns that may be empty have no such form, and are refused as they are.
    const outcome =
      bounded === null
        ? reasonIn(guardProblem(specOf(evil.pattern)) ?? '')
        : run(bounded, attackOf(evil, attackChars))
    expect(outcome).toBe(bounded === null ? 'refused' : 'ran to the end')
  })

  it('have bounded forms, most of them', () => {
    const forms = evilPatterns.map(({ pattern }) => boundedFormOf(pattern))
    expect(forms.filter((form) => form !== null).length).toBeGreaterThanOrEqual(30)
  })
})

describe('a stream of one character at a time, and one in one piece', () => {
  const guardrails = [
    { use: 'pii', entities: ['email', 'phone', 'ssn', 'credit-card', 'iban', 'ip-address'] },
    { use: 'secrets' },
    { use: 'banned-terms', terms: [`${'a'.repeat(100)}b`], action: 'redact' },
  ].map(guardrailOf)
  const pumps = [
    'a',
    '1',
    'a@',
    'a.b@c.',
    'MIIEvQIBADANBgkqhkiG9w0B',
    'sk-',
    'eyJ',
    'password=',
    'secret is ',
    '[redacted:',
    '-----BEGIN ',
    '4111 ',
    '://a:',
    '用1',
    'password for ',
    'curl -u a:',
    'cookie: a=b; ',
    'datadog=',
    '用密码',
    '13812345678 ',
    'Tel. 0',
    '{"a":',
  ]

  /** Milliseconds of this process: what others do on the machine does not count. */
  const cost = (text: string, size: number): number => {
    const guard = createStreamGuard({ guardrails, context })
    const begin = process.cpuUsage()
    for (let at = 0; at < text.length; at += size) guard.push('text', text.slice(at, at + size))
    guard.end('text')
    const { user, system } = process.cpuUsage(begin)
    return (user + system) / 1000
  }

  /** The smaller of two: a machine that is slow for a moment makes neither length of text look dear. */
  const typical = (text: string, size: number): number =>
    Math.min(cost(text, size), cost(text, size))

  // Four times the text, at most eight times the work; a square would be sixteen times.
  it.each(pumps)('%s: work in proportion to the text', (pump) => {
    for (const [chars, size] of [
      [2_000, 1],
      [50_000, 1_000_000],
    ] as const) {
      const text = pump.repeat(Math.ceil((4 * chars) / pump.length))
      cost(text.slice(0, chars), size)
      expect(typical(text, size)).toBeLessThan(8 * typical(text.slice(0, chars), size) + 100)
    }
  })

  it('a megabyte in one piece', () => {
    for (const pump of ['a', 'sk-', 'a@', '1 ']) {
      const text = pump.repeat(1_000_000 / pump.length)
      expect(cost(text, 1_000_000)).toBeLessThan(20_000)
    }
  })
})

const boundedFormOf = (pattern: string): string | null =>
  boundedForm(pattern, (form) => guardProblem(specOf(form)) === null)

const reasonIn = (problem: string): string =>
  reasons.some((reason) => reason.test(problem))
    ? 'refused'
    : `refused without a reason: ${problem}`

function run(pattern: string, attack: string): string {
  const result = guardrailOf(specOf(pattern)).handle({ type: 'text', text: attack }, context)
  return result.type === 'pass' ? 'ran to the end' : result.type
}
