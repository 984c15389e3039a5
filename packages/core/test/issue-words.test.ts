/** Mistakes in plain words. Would catch: a word of the library, a value that is repeated although it may be a secret. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { issueWords } from '../src/issue-words.ts'

const words = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: issueWords }).error?.issues[0]?.message

const shapes = z.discriminatedUnion('use', [
  z.object({ use: z.literal('a') }),
  z.object({ use: z.literal('b') }),
])

const table: readonly (readonly [z.ZodType, unknown, string])[] = [
  [z.string(), undefined, 'is missing; it takes a text'],
  [z.string(), 5, 'takes a text, not 5'],
  [z.string(), () => '', 'takes a text, not a function'],
  [z.number(), '5', 'takes a number, not a text: leave the quotation marks out'],
  [z.number(), 'geheim', 'takes a number, not a text'],
  [z.number(), Number.NaN, 'takes a number, not NaN'],
  [z.int(), 1.5, 'takes a whole number, not 1.5'],
  [z.number().min(1), -5, 'takes a number from 1, not -5'],
  [z.number().positive(), 0, 'takes a number above 0, not 0'],
  [z.number().max(1), 2, 'takes a number up to 1, not 2'],
  [z.number().lt(1), 1, 'takes a number below 1, not 1'],
  [z.number().multipleOf(5), 7, 'takes a multiple of 5, not 7'],
  [z.boolean(), null, 'takes true or false, not null'],
  [z.array(z.string()), {}, 'takes a list, not an object'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.array(z.string()).min(2), ['a'], 'takes at least 2 entries, not 1'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(3), 'geheim', 'takes at most 3 characters, not 6'],
  [z.strictObject({}), [], 'takes an object, not a list'],
  [z.record(z.string(), z.string()), 5, 'takes an object, not 5'],
  [z.enum(['a', 'b']), 'geheim', 'takes one of "a", "b"'],
  [z.enum(['a', 'b']), undefined, 'is missing; it takes one of "a", "b"'],
  [z.literal('a'), 'geheim', 'takes "a"'],
  [z.string().regex(/^a$/), 'geheim', 'does not have the form /^a$/'],
  [z.strictObject({}), { x: 1 }, 'has an unknown key: "x"'],
  [z.union([z.string(), z.array(z.string())]), 5, 'takes a text or a list, not 5'],
  [shapes, { use: 'geheim' }, 'takes one of "a", "b"'],
  [shapes, {}, 'is missing; it takes one of "a", "b"'],
  [shapes, 'a', 'takes an object, not a text'],
  [z.custom(() => false), 'geheim', 'takes another kind of value'],
  [z.string().refine(() => false, 'takes what it likes'), 'geheim', 'takes what it likes'],
]

it.each(table)('%#: %j', (schema, value, said) => {
  expect(words(schema, value)).toBe(said)
})
