/**
 * Numbers as typesetters and other scripts write them: blanks that do not break, hyphens that are longer, digits of full width, of Arabic and of
 * Indian languages. Models write such signs of their own accord. Would catch: a card number that is found with one kind of blank only.
 */
import { expect, test } from 'vitest'
import { guardrailOf, inDeltas, play } from './play.ts'

const entities = ['email', 'phone', 'ssn', 'cn-resident-id', 'credit-card', 'iban', 'ip-address']
const pii = guardrailOf({ use: 'pii', entities })

/** The digits of a script that begins with this zero. */
const inDigits = (text: string, zero: number): string =>
  text.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(zero + Number(digit)))
/** Full width, as Japanese and Chinese input methods make them. */
const wide = (text: string): string =>
  text.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))

const numbers: readonly (readonly [string, string])[] = [
  ['credit-card', '4111 1111 1111 1111'],
  ['credit-card', '4111-1111-1111-1111'],
  ['phone', '+49 30 901820'],
  ['phone', '(212) 555-0123'],
  ['phone', '090-1234-5678'],
  ['ssn', '123-45-6789'],
  ['iban', 'DE89 3704 0044 0532 0130 00'],
]
const blanks = ['\u00A0', '\u202F', '\u2009', '\u2007', '\u3000']
const hyphens = ['\u2010', '\u2011', '\u2012', '\u2013', '\u2212', '\uFF0D']

const spaced = numbers
  .filter(([, number]) => number.includes(' '))
  .flatMap(([kind, number]) =>
    blanks.map((blank) => [kind, number.replaceAll(' ', blank)] as const),
  )
const joined = numbers
  .filter(([, number]) => number.includes('-'))
  .flatMap(([kind, number]) =>
    hyphens.map((hyphen) => [kind, number.replaceAll('-', hyphen)] as const),
  )
const digits = numbers.flatMap(([kind, number]) =>
  [0x0660, 0x06f0, 0x0966].map((zero) => [kind, inDigits(number, zero)] as const),
)
const full = [...numbers, ['email', 'ada@example.com'] as const].map(
  ([kind, number]) => [kind, wide(number).replaceAll(' ', '\u3000')] as const,
)

test.each([...spaced, ...joined, ...digits, ...full])('%s: %s', (kind, number) => {
  for (const text of [`It is ${number}, and no more.`, `番号は${number}です。`]) {
    const whole = pii.inspector?.inspect(text)
    expect(whole?.kinds).toEqual([kind])
    expect(whole?.text).not.toContain(number.slice(0, 8))
    for (const size of [1, 5, text.length])
      expect(play([pii], inDeltas(text, size)).text).toBe(whole?.text)
  }
})

test.each([
  '2019–2024, pages 12–345, 1990–1991',
  '12\u202F345\u202F678 €, 4\u00A0000\u00A0000 rows, 3\u2009µm',
  '第１章、１２：３４：５６、比は１：２、注：：１',
  'الصفحة ١٢٣ من ٤٥٦',
  '１２３４円、２０２６年１１月２６日',
])('left alone: %s', (text) => {
  expect(pii.inspector?.inspect(text)).toEqual({ text, kinds: [] })
})
