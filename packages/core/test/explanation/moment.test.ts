/** Times are written as everybody writes them: compared with the platform's own calendar, over all years that it is asked for. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { momentOf } from '../../src/explanation/moment.ts'

test.each([
  [0, '1970-01-01T00:00:00.000Z'],
  [951_782_400_000, '2000-02-29T00:00:00.000Z'],
  [4_107_542_399_999, '2100-02-28T23:59:59.999Z'],
  [4_107_542_400_000, '2100-03-01T00:00:00.000Z'],
])('%d is %s', (ms, text) => expect(momentOf(ms)).toBe(text))

test('any time of the years 1 to 9999', () => {
  const min = Date.parse('0001-01-01T00:00:00Z')
  const max = Date.parse('9999-12-31T23:59:59.999Z')
  fc.assert(
    fc.property(fc.integer({ min, max }), (ms) => {
      expect(momentOf(ms)).toBe(new Date(ms).toISOString())
    }),
    { numRuns: 2000 },
  )
})
