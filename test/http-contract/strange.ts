/** Values and texts that break servers: types, sizes, depths, alphabets. */
import fc from 'fast-check'
import type { Json } from './schema-values.ts'

const nested = (depth: number, inside: Json = 1): Json =>
  depth === 0 ? inside : [nested(depth - 1, inside)]

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\ufeff',
  '\u202e',
  '💥'.repeat(100),
  'é'.repeat(201),
  'a'.repeat(201),
  'a'.repeat(70_000),
  '../../../../etc/passwd',
  // Quoted, so that a stored text that comes back later is not taken for a table that an error names.
  `'; drop table "signalbox"."run"; --`,
  '%s%n%x',
  '${jndi:ldap://127.0.0.1/x}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'null',
  'undefined',
  'NaN',
  '-1',
  '00000000-0000-7000-8000-000000000000',
  '9'.repeat(400),
  '1e400',
  '0x10',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  'child:x',
  '__proto__',
  'constructor',
]

/** A text that nobody meant. */
export const strangeText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
)

const values: readonly Json[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
  [],
  {},
  [[]],
  [null],
  nested(60),
  nested(70),
  Array.from({ length: 2000 }, () => null),
  Array.from({ length: 1001 }, () => ({})),
  Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`k${n}`, n])),
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { constructor: { prototype: { polluted: true } } },
  { toString: 1, valueOf: null, hasOwnProperty: 0 },
  { length: -1 },
  { '': '' },
  { 'a\u0000': 1 },
]

/** A value of another type, size or depth than any field takes. */
const strangeValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...values) },
  { weight: 3, arbitrary: strangeText },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
)

/** One place of a value replaced, left out, or with something beside it. */
export interface Fault {
  /** Which place, counted through the value. */
  readonly place: number
  readonly way: 'replace' | 'remove' | 'add' | 'wrap'
  readonly value: Json
  readonly name: string
}

/** Where and how a value goes wrong. */
export const fault: fc.Arbitrary<Fault> = fc.record({
  place: fc.nat(200),
  way: fc.constantFrom('replace', 'replace', 'remove', 'add', 'wrap'),
  value: strangeValue,
  name: fc.oneof(strangeText, fc.constantFrom('id', 'tenant_id', 'status', 'config', 'extra')),
})

/** The value with one fault. */
export function spoilt(value: Json, { place, way, value: strange, name }: Fault): Json {
  const places = count(value)
  let left = place % places
  const walk = (at: Json): Json | undefined => {
    if (left-- === 0) return faulty(at)
    if (Array.isArray(at)) return at.flatMap((each) => walk(each) ?? [])
    if (typeof at !== 'object' || at === null) return at
    return Object.fromEntries(
      Object.entries(at).flatMap(([key, each]) => {
        const made = walk(each)
        return made === undefined ? [] : [[key, made]]
      }),
    )
  }
  const faulty = (at: Json): Json | undefined => {
    if (way === 'remove') return undefined
    if (way === 'wrap') return [at]
    if (way === 'replace' || typeof at !== 'object' || at === null) return strange
    return Array.isArray(at) ? [...at, strange] : { ...at, [name]: strange }
  }
  return walk(value) ?? null
}

function count(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return 1 + Object.values(value).reduce<number>((sum, each) => sum + count(each), 0)
}
