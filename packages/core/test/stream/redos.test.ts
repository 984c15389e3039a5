/** No pattern takes more than time in proportion to the text: it is refused, or it runs on a linear engine. */
import { describe, expect, it } from 'vitest'

import { guardProblem } from '../../src/verdict/stream/create-guardrail.ts'
import { StreamGuardSpec } from '../../src/verdict/stream/spec.ts'
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
