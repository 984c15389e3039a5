import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ambiguityOf, ambiguousKeyIn } from '../src/ambiguous-json.ts'

test.each([
  ['{"a":1,"a":2}', 'stands twice'],
  ['{"a":1,"\\u0061":2}', 'stands twice'],
  ['{ "a" : [ {"b":1} , {"b":1,"c":{},"b":[]} ] }', 'stands twice'],
  ['{"":1,"":2}', 'stands twice'],
  ['{"x":{"__proto__":{}}}', '__proto__'],
  ['{"\\u005f_proto__":1}', '__proto__'],
  ['[9007199254740992]', '2^53'],
  ['{"a":-9007199254740993}', '2^53'],
  ['123456789012345678901234567890', '2^53'],
  ['{"to":"x","amount":9007199254740993}', 'at "amount"'],
  ['{"rows":[{"id":1},{"id":9007199254740993}]}', 'at "id"'],
  ['{"amount":1e400}', 'a number at "amount"'],
  ['[-1.5E+309]', 'larger than any double'],
  ['{"amount":9007199254740993.0}', 'a number at "amount" has more digits'],
  ['{"amount":9.007199254740993e15}', 'more digits'],
  ['{"amount":9007199254740993E0}', 'more digits'],
  ['[90071992547409930e-1]', 'more digits'],
  ['[-1234567890123456789.5]', 'more digits'],
])('%s is ambiguous', (text, why) => {
  expect(ambiguityOf(text)).toContain(why)
})

test.each([
  '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}',
  '["a","a","__proto__",{"a":"a"}]',
  '{"a":"a","b":"\\"a\\":1,"}',
  '[9007199254740991,1e300,0.1,-0,1.5e10]',
  '[6.02214076e23,1.7976931348623157e308,1e21,0.10000000000000001,9007199254740992.0,-1.2345678901234568e+29]',
  '{"a":"9007199254740993"}',
  '"__proto__"',
  'null',
])('%s is not', (text) => {
  expect(ambiguityOf(text)).toBeNull()
})

test('what JSON.stringify wrote is not, however it is indented', () => {
  fc.assert(
    fc.property(
      fc.json({ noUnicodeString: false }),
      fc.integer({ min: 0, max: 3 }),
      (text, gap) => {
        const value: unknown = JSON.parse(text)
        const isPlain = !text.includes('__proto__') && !/\d{16}/.test(text)
        return !isPlain || ambiguityOf(JSON.stringify(value, null, gap)) === null
      },
    ),
  )
})

test('a long text takes time in proportion', () => {
  const text = `[${'{"a":"\\\\\\""},'.repeat(100_000)}0]`
  expect(ambiguityOf(text)).toBeNull()
})

test('of keys alone, numbers are none of its business', () => {
  expect(ambiguousKeyIn('{"a":9007199254740993,"b":1e400}')).toBeNull()
  expect(ambiguousKeyIn('{"allow":false,"allow":true}')).toContain('"allow" stands twice')
  expect(ambiguousKeyIn('{"__proto__":{"allow":true}}')).toContain('__proto__')
})

test('so does a number of many digits', () => {
  const zeros = '0'.repeat(1_000_000)
  expect(ambiguityOf(`[12345678901234567890.${zeros}1${zeros}]`)).toContain('more digits')
})
