/**
 * Titles of what was said. Expected texts are written from the rules: the first line with words, without marks of Markdown and the name of
 * a skill, at most 60 characters as people count them, cut between words with `…`. Would catch: a title of marks, one that hides what it
 * says, half an emoji, work that grows with the text.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { givenPaths, limits, saidTexts, titleOfWords, untitled } from '../src/index.ts'
import { graphemesOf } from '../src/title/line.ts'

const family = '👩‍👩‍👧‍👦'
const ten = 'ten chars '
const word60 = 'w'.repeat(60)

describe('§19 title 1: words', () => {
  test.each([
    // Plain.
    ['Write a report.', 'Write a report.'],
    ['  Write\t a   report  ', 'Write a report'],
    ['Write a report\nand mail it', 'Write a report'],
    ['\n\n  \nWrite a report', 'Write a report'],
    ['Write a report\r\nand mail it', 'Write a report'],
    ['Write a report\u2028and mail it', 'Write a report'],
    // Cut: whole words, and `…` is one of the 60.
    [word60, word60],
    [`${word60}w`, `${'w'.repeat(59)}…`],
    [ten.repeat(6).trim(), ten.repeat(6).trim()],
    [ten.repeat(7).trim(), `${ten.repeat(5)}ten chars…`],
    [`${'a'.repeat(30)} ${'b'.repeat(40)}`, `${'a'.repeat(30)}…`],
    [`${'a'.repeat(57)}, and more words`, `${'a'.repeat(57)}…`],
    // Emoji: one of many code points is one character.
    [`Plan for ${family}`, `Plan for ${family}`],
    [family.repeat(60), undefined],
    ['🇩🇪 tax return', '🇩🇪 tax return'],
    ['👍🏽', '👍🏽'],
    // Right to left, and marks that turn what stands beside them.
    ['كيف أكتب تقريرا؟', 'كيف أكتب تقريرا؟'],
    ['מה שלומך היום', 'מה שלומך היום'],
    ['invoice \u202Efdp.exe', 'invoice fdp.exe'],
    ['\u2066a\u2069 \u200Fb\u200E', 'a b'],
    // Characters that nobody sees hold no words: tags, selectors, fillers. Those that are seen, or join others, stay.
    ['a report\u{E0049}\u{E0067}\u{E006E}', 'a report'],
    ['a\u{E0101}\u{E0142} report', 'a report'],
    ['\u3164\u2800\u115F', untitled],
    ['a\u2063\u180E\u206Ab', 'ab'],
    [
      '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} flag',
      '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} flag',
    ],
    ['می‌خواهم', 'می‌خواهم'],
    // Without spaces.
    ['请写一份关于市场的报告', '请写一份关于市场的报告'],
    ['字'.repeat(61), `${'字'.repeat(59)}…`],
    // Markdown.
    ['# Heading', 'Heading'],
    ['### Heading ###', 'Heading'],
    ['> quoted', 'quoted'],
    ['- [x] done', 'done'],
    ['> - 1. deep', 'deep'],
    ['1. first', 'first'],
    ['**bold** and _soft_ and `code`', 'bold and soft and code'],
    ['~~gone~~ kept', 'gone kept'],
    ['see [the page](https://a.test/x) now', 'see the page now'],
    ['![a chart](chart.png)', 'a chart'],
    ['```ts\nconst a = 1\n```', 'const a = 1'],
    ['---\nsaid', 'said'],
    ['| a | b |\n|---|---|', '| a | b |'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['#hashtag stays', '#hashtag stays'],
    ['-5 degrees', '-5 degrees'],
    // The name of a skill.
    ['/report on the quarter', 'on the quarter'],
    ['/report\nof the quarter', 'of the quarter'],
    ['/usr/bin/env is missing', '/usr/bin/env is missing'],
    // Nothing.
    ['', untitled],
    [' \n\t\n', untitled],
    ['###', untitled],
    ['/report', untitled],
    ['\u200B\u202E', untitled],
    // Controls, and half a character.
    ['a\u0000b\u001B[31mc', 'ab[31mc'],
    ['half \uD83D', 'half \uFFFD'],
    // Markup is text: whoever shows it escapes it.
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('%j', (text, title) => {
    const made = titleOfWords([text])
    expect(made).toBe(title ?? made)
    expect(graphemesOf(made).length).toBeLessThanOrEqual(60)
  })

  test('10 kB without a space are cut, at once', () => {
    const began = performance.now()
    const made = titleOfWords(['x'.repeat(10_240)])
    expect(made).toBe(`${'x'.repeat(59)}…`)
    for (const mark of ['`', '*', '_', '[', '~', '>', '# ', '|', '\u0301'])
      titleOfWords([`a${mark.repeat(10_240)}`])
    // Some tens of milliseconds; minutes, if a mark were looked for from each place on.
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test('the second text where the first says nothing; without words the name of the first file', () => {
    expect(titleOfWords(['', 'said'])).toBe('said')
    expect(titleOfWords([], ['reports/quarter 3.pdf', 'b.txt'])).toBe('quarter 3.pdf')
    expect(titleOfWords(['said'], ['a.pdf'])).toBe('said')
    expect(titleOfWords([])).toBe('New conversation')
  })

  test('texts of the user alone, of a long one its beginning', () => {
    expect(
      saidTexts([
        { role: 'system', parts: [{ type: 'text', text: 'rules' }] },
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'one' },
            { type: 'blob', key: 'k', bytes: 9, mime: 'text/plain', preview: 'two' },
          ],
        },
      ]),
    ).toEqual(['one', 'two'])
  })

  test('whatever is said, a title is one short line that says what it shows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const made = titleOfWords([text])
        const chars = graphemesOf(made).length
        return (
          chars > 0 &&
          chars <= limits.titleGraphemesMax &&
          made.length <= limits.titleCharsMax &&
          made === made.trim() &&
          made.isWellFormed() &&
          // oxlint-disable-next-line no-control-regex -- controls are what this is about
          !/[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/.test(made)
        )
      }),
    )
  })
})

const file = (path: string, key: string | null) => ({ path, key, bytes: 1 })

test('files that a run was given, by their paths: not those that it removes, nor those of a list that stands elsewhere', () => {
  expect(givenPaths([file('uploads/a.pdf', 'k'), file('b.txt', null)])).toEqual(['uploads/a.pdf'])
  expect(givenPaths({ manifest: 'k', count: 70 })).toEqual([])
  expect(givenPaths(undefined)).toEqual([])
})
