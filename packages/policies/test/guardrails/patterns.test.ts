/** Patterns of the user's own: what is refused and why, how long a match may be, and what stands at the edges. */
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'

import { createGuardrail, guardProblem } from '../../src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../../src/guardrails/create-stream-guard.ts'
import { patternLength } from '../../src/guardrails/pattern-length.ts'
import { StreamGuardSpec } from '@signalbox/core'
import { context, guardrailOf, inDeltas, judged, play } from './play.ts'

const patterns = (...sources: readonly string[]) => ({
  use: 'patterns',
  patterns: sources.map((pattern, n) => ({ name: `p${n}`, pattern })),
})
const problem = (...sources: readonly string[]) =>
  guardProblem(StreamGuardSpec.parse(patterns(...sources)))

it.each(['a{1,1000}', '[^"]{1,512}', '(a|aa){1,400}'])(
  'a pattern that would take a core for minutes over a hostile text is refused: %s',
  (pattern) => {
    expect(problem(pattern)).toMatch(/too much work: \d+ instructions over \d+ characters/)
  },
)

describe('specs', () => {
  it('have defaults', () => {
    // Definitions of before they had these settings judge as they did.
    const nowhereElse = { arguments: false, toolResults: false }
    expect(StreamGuardSpec.parse({ use: 'pii' })).toEqual({
      use: 'pii',
      entities: ['email', 'phone', 'ssn', 'credit-card', 'iban'],
      action: 'redact',
      ...nowhereElse,
    })
    expect(StreamGuardSpec.parse({ use: 'secrets' })).toEqual({
      use: 'secrets',
      action: 'redact',
      ...nowhereElse,
    })
    expect(StreamGuardSpec.parse({ use: 'banned-terms', terms: ['x'] })).toEqual({
      use: 'banned-terms',
      terms: ['x'],
      action: 'fail',
      caseSensitive: false,
      wholeWord: true,
      ...nowhereElse,
    })
    expect(StreamGuardSpec.parse(patterns('x'))).toMatchObject({ action: 'redact' })
  })

  it.each([
    { use: 'nothing' },
    { use: 'pii', entities: [] },
    { use: 'pii', entities: ['name'] },
    { use: 'banned-terms', terms: [] },
    { use: 'banned-terms', terms: [''] },
    { use: 'banned-terms', terms: ['x'.repeat(201)] },
    { use: 'banned-terms', terms: Array.from({ length: 1001 }, (_, n) => `t${n}`) },
    { use: 'patterns', patterns: [] },
    { use: 'patterns', patterns: [{ name: 'A b', pattern: 'x' }] },
    { use: 'patterns', patterns: [{ name: 'a', pattern: 'x'.repeat(1001) }] },
    patterns(...Array.from({ length: 51 }, () => 'x')),
    { use: 'module' },
    { use: 'secrets', action: 'hide' },
  ])('refused: %j', (spec) => {
    expect(StreamGuardSpec.safeParse(spec).success).toBe(false)
  })

  it('give the guardrail its id: their own, or the word', () => {
    expect(guardrailOf({ use: 'secrets' }).id).toBe('secrets')
    expect(guardrailOf({ use: 'secrets', id: 'mine' }).id).toBe('mine')
  })

  it('a module is for the shell to load', () => {
    const spec = StreamGuardSpec.parse({ use: 'module', path: './guard.ts#guard' })
    expect(createGuardrail(spec)).toBeNull()
    expect(guardProblem(spec)).toBeNull()
  })
})

describe('problems', () => {
  it.each([
    ['a back-reference', '(a)\\1', /invalid escape sequence: `\\1`/],
    ['a lookahead', 'a(?=b)', /invalid or unsupported Perl syntax: `\(\?=`/],
    ['a lookbehind', '(?<=a)b', /\(\?<=a/],
    ['an unclosed group', '(a', /missing closing \)/],
    ['a star', 'ab*', /can match without end/],
    ['a plus', 'a+', /can match without end/],
    ['an open count', 'a{3,}', /can match without end/],
    ['a star within a count', '(?:ab*){1,3}c', /can match without end/],
    ['more than 1,024', 'a{1,600}b{1,600}', /can match 1200 UTF-16 code units.*1024/],
    ['more than 1,024, in characters of two units', '.{1,600}', /can match 1200 UTF-16/],
    ['nothing at all', 'a{0,3}', /matches the empty text/],
    ['a border alone', '\\b', /matches the empty text/],
    ['a program too large', `(?:${'\\pL{1,900}|'.repeat(3)}x)`, /instructions, 4096 are allowed/],
  ])('%s', (_, pattern, reason) => {
    expect(problem('fine', pattern)).toMatch(reason)
    expect(problem('fine', pattern)).toMatch(/^pattern p1: /)
  })

  it.each([
    'a',
    'a{1,300}',
    '[^"]{1,200}',
    'x(?:a{1,10}b?){1,10}',
    '(?i)\\bkey-[0-9]{4}\\b',
    '^# .{1,80}$',
  ])('none: %s', (pattern) => expect(problem(pattern)).toBeNull())

  it('a blank term', () => {
    const spec = StreamGuardSpec.parse({ use: 'banned-terms', terms: ['x', ' \n'] })
    expect(guardProblem(spec)).toBe('term 1 is blank')
  })
})

describe('the length of a pattern', () => {
  it.each([
    ['abc', 3, 3],
    ['a|bcd', 1, 3],
    ['(?:ab?){2,3}', 2, 6],
    ['a{0,5}b?', 0, 6],
    ['[a-z]', 1, 1],
    ['😀', 1, 2],
    ['.', 1, 2],
    ['[^a]', 1, 2],
    ['a+', 1, Infinity],
    ['(?i)straße', 6, 6],
    ['^\\bab\\b$', 2, 2],
    ['(?P<n>ab)(?:c|)', 2, 3],
  ])('%s: %d to %d', (pattern, min, max) => {
    expect(patternLength(RE2JS.compile(pattern), 4096)).toMatchObject({ min, max })
  })
})

describe('matching', () => {
  it('names the pattern in the marker', () => {
    expect(judged(guardrailOf(patterns('id-[0-9]{4}', 'foo')), 'id-1234 foo id-12')).toBe(
      '[redacted:p0] [redacted:p1] id-12',
    )
  })

  it('`^` and `\\b` mean the text, not the piece of it that is seen', () => {
    const guardrail = guardrailOf(patterns('^aa|\\bbb'))
    for (let before = 1; before < 40; before += 1) {
      const text = `${'x'.repeat(before)}aa${'x'.repeat(31)}bb${'-'.repeat(80)}`
      expect(play([guardrail], inDeltas(text, 3))).toEqual({ text, trip: null })
    }
    expect(play([guardrail], ['aa', ` bb${' .'.repeat(60)}`]).text).toBe(
      `[redacted:p0] [redacted:p0]${' .'.repeat(60)}`,
    )
  })

  it('nothing that went out belongs to a match', () => {
    const guard = createStreamGuard({ guardrails: [guardrailOf(patterns('\\s?bb'))], context })
    guard.push('text', 'aa')
    guard.end('text')
    guard.push('text', 'bb')
    expect(guard.end('text')).toEqual({ type: 'released', text: '[redacted:p0]' })
  })

  it('`$` means the end of the text', () => {
    const guardrail = guardrailOf(patterns('end$'))
    const text = `${'x'.repeat(29)}end of it${'x'.repeat(60)} end`
    expect(play([guardrail], inDeltas(text, 1)).text).toBe(`${text.slice(0, -3)}[redacted:p0]`)
  })

  it('a match as long as is allowed is caught wherever it is split', () => {
    const guardrail = guardrailOf(patterns('<a{1,1000}>'))
    expect(guardrail.window).toBe(1002)
    for (const before of [0, 1, 31, 32, 500]) {
      const text = `${'x'.repeat(before)}<${'a'.repeat(1000)}>${'y'.repeat(100)}`
      const expected = `${'x'.repeat(before)}[redacted:p0]${'y'.repeat(100)}`
      expect(play([guardrail], inDeltas(text, 7)).text).toBe(expected)
    }
  })

  it('fail names the pattern, never what it matched', () => {
    const { trip } = play(
      [guardrailOf({ ...patterns('id-[0-9]{4}'), action: 'fail' })],
      ['id-1234'],
    )
    expect(trip?.feedback).toBe(
      'I was about to write something that matches the pattern "p0", which I must not do here. ' +
        'I will answer again without it.',
    )
  })
})
