/** Banned terms: whole words or parts of words, in either case, wherever they are split. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { guardrailOf, inDeltas, judged, play } from './play.ts'

const banning = (terms: readonly string[], more: object = {}) =>
  guardrailOf({ use: 'banned-terms', terms, action: 'redact', ...more })
const marked = '[redacted:banned-term]'

describe('found', () => {
  it.each([
    ['a word', ['bad'], 'a bad day', `a ${marked} day`],
    ['in either case', ['Bad'], 'BAD, bad and bAd', `${marked}, ${marked} and ${marked}`],
    ['a phrase', ['very bad idea'], 'a very bad idea.', `a ${marked}.`],
    ['the longest of several', ['bad', 'bad idea', 'ea'], 'a bad idea', `a ${marked}`],
    [
      'a shorter one, where the longer is part of a word',
      ['bad', 'bad idea'],
      'a bad ideal',
      `a ${marked} ideal`,
    ],
    ['signs at its edge have no border', ['#bad', 'c++'], 'x#bad c++17', `x${marked} ${marked}17`],
    [
      'letters beyond ASCII',
      ['straße', 'ΟΔΟΣ', 'zła'],
      'Straße οδος ZŁA',
      `${marked} ${marked} ${marked}`,
    ],
    ['characters of two units', ['😀bad'], '-😀BAD-', `-${marked}-`],
    ['behind a letter that grows in lower case', ['bad'], 'İ bad', `İ ${marked}`],
  ])('%s', (_, terms, text, expected) => {
    expect(judged(banning(terms), text)).toBe(expected)
  })

  it('parts of words, if that is asked for', () => {
    expect(judged(banning(['bad'], { wholeWord: false }), 'xbady')).toBe(`x${marked}y`)
    expect(judged(banning(['ΟΔΟΣ'], { wholeWord: false }), 'ΟΔΟΣΑ')).toBe(`${marked}Α`)
  })

  it('a term within the beginning of another that does not come', () => {
    const guardrail = banning(['abcd', 'bc'], { wholeWord: false })
    expect(judged(guardrail, 'abce')).toBe(`a${marked}e`)
  })

  it('in its own case alone, if that is asked for', () => {
    expect(judged(banning(['Bad'], { caseSensitive: true }), 'Bad bad')).toBe(`${marked} bad`)
  })

  it.each([
    ['abcde', ['abc', 'cde'], marked.repeat(2)],
    ['abcde', ['abc', 'bcd', 'de'], marked.repeat(2)],
    ['xabcdefx', ['abcd', 'bcde', 'cdef'], `x${marked.repeat(2)}x`],
    ['aaaaa', ['aa'], marked.repeat(3)],
  ])('%s with %j: of terms that overlap nothing goes out', (text, terms, expected) => {
    const guardrail = banning(terms, { wholeWord: false })
    expect(judged(guardrail, text)).toBe(expected)
    for (const size of [1, 2, 3])
      expect(play([guardrail], inDeltas(text, size))).toEqual({ text: expected, trip: null })
  })

  it('a thousand terms of which each is a prefix of the next', () => {
    const terms = Array.from({ length: 200 }, (_, n) => 'a'.repeat(n + 1))
    expect(judged(banning(terms, { wholeWord: false }), 'a'.repeat(1000))).toBe(marked.repeat(5))
  })
})

it('what is covered by a term never goes out', () => {
  const unit = fc.constantFrom('a', 'b', 'c', 'd')
  const term = fc.string({ unit, minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(
      fc.array(term, { minLength: 1, maxLength: 5 }),
      fc.string({ unit, maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      (terms, text, size) => {
        const covered = new Set<number>()
        for (const each of terms)
          for (let at = text.indexOf(each); at >= 0; at = text.indexOf(each, at + 1))
            for (let n = 0; n < each.length; n += 1) covered.add(at + n)
        const left = Array.from(text).filter((_, at) => !covered.has(at))
        const guardrail = banning(terms, { wholeWord: false })
        const played = play([guardrail], inDeltas(text, size))
        expect(played.text.replaceAll(marked, '')).toBe(left.join(''))
        expect(played.text).toBe(judged(guardrail, text))
      },
    ),
    { numRuns: 1000 },
  )
})

describe('left alone', () => {
  it.each(['badly', 'xbad', 'bad_', '1bad', 'badé', 'bade\u0301', '𝐱bad', 'bad𝐱'])('%s', (text) => {
    expect(judged(banning(['bad']), text)).toBe(text)
    for (let before = 0; before < 33; before += 1) {
      const whole = `${'- '.repeat(17).slice(34 - before)}${text}${' -'.repeat(60)}`
      expect(play([banning(['bad'])], inDeltas(whole, 1))).toEqual({ text: whole, trip: null })
    }
  })

  it('words of a marker', () => {
    const guardrail = banning(['redacted', 'term', 'banned', 'bad'])
    const text = 'a bad term was banned and redacted, '.repeat(20)
    const once = play([guardrail], inDeltas(text, 5))
    expect(once.text).toBe(`a ${marked} ${marked} was ${marked} and ${marked}, `.repeat(20))
    expect(judged(guardrail, once.text)).toBe(once.text)
  })
})

it('a stream finds what a plain search finds, wherever it is split', () => {
  const word = fc.constantFrom('bad', 'badly', 'idea', 'bad idea', 'good', 'Bad', '-', 'x')
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (words, size) => {
        const text = words.join(' ')
        const expected = text.replaceAll(/(?<!\w)(?:bad idea|bad)(?!\w)/gi, marked)
        expect(play([banning(['bad', 'bad idea'])], inDeltas(text, size)).text).toBe(expected)
      },
    ),
    { numRuns: 300 },
  )
})

it('fail says nothing of the term', () => {
  const { trip, text } = play(
    [guardrailOf({ use: 'banned-terms', terms: ['Voldemort'] })],
    ['He is vol', 'demort.'],
  )
  expect(text).toBe('He is ')
  expect(trip).toMatchObject({ outcome: 'fail', guardrail: { id: 'banned-terms' } })
  expect(trip?.feedback).toMatch(/^I was about to write a term that is not allowed/)
  expect(trip?.feedback.toLowerCase()).not.toContain('voldemort')
})
