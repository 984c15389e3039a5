/**
 * The weight that could be cleared of a conversation, asked again and again while it grows. Would catch: a weight that holds although a result
 * has come, was cleared or was told anew; one of another rule; one of a run that has become an earlier one.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createProjection, type FoldableEvent, type PromptProjection } from '../../src/index.ts'
import { casesOf, timeout } from '../support/full.ts'
import { said } from '../support/log.ts'
import { logOf, turns } from '../support/pruned-logs.ts'
import { numbered, prunedEvent, readingRun, resultOf } from '../support/room.ts'

const rule = { minChars: 1_000, exclude: [], wordsChars: 8_000, ownChars: 50_000, readable: true }
const long = 'x'.repeat(1_000)

const taken = (log: readonly FoldableEvent[]): PromptProjection => {
  const projection = createProjection('')
  for (const each of log) projection.take(each)
  return projection
}

/** The results that the rule would clear before the newest place. */
const clearable = (projection: PromptProjection, of: object = {}): number | undefined =>
  projection.cuts({ ...rule, ...of }, 0)[0]?.results

describe('a weight that was asked for before', () => {
  const events = readingRun('r1', [long, 'short', long])

  test('holds for its rule alone', () => {
    const projection = taken(events)
    expect(clearable(projection)).toBe(2)
    expect(clearable(projection, { minChars: 2 })).toBe(3)
    expect(clearable(projection, { exclude: ['search'] })).toBe(0)
    expect(clearable(projection)).toBe(2)
  })

  test('knows of a result that came, and of one that was told anew', () => {
    const projection = taken(events.slice(0, -1))
    expect(clearable(projection)).toBe(1)
    projection.take(numbered('r1', events)[6] ?? said([]))
    expect(clearable(projection)).toBe(2)
    projection.take({ ...resultOf('c_r1_3', 'short'), runId: 'r1', seq: 8 })
    expect(clearable(projection)).toBe(1)
  })

  test('knows what was cleared', () => {
    const projection = taken(events)
    expect(clearable(projection)).toBe(2)
    projection.take({ ...prunedEvent({ runId: 'r1', seq: 5 }), runId: 'r1', seq: 8 })
    expect(clearable(projection)).toBe(1)
  })

  test('knows that its run has become an earlier one', () => {
    const words = 'y'.repeat(9_000)
    const projection = taken(readingRun('r1', [], words))
    expect(projection.cuts(rule, 0)[0]?.inputs).toBe(0)
    for (const each of readingRun('r2', [])) projection.take(each)
    expect(projection.cuts(rule, 0)[0]?.inputs).toBe(1)
  })
})

const rules = fc.record({
  minChars: fc.constantFrom(100, 1_000),
  exclude: fc.constantFrom<string[]>([], ['search']),
  wordsChars: fc.constantFrom(100, 8_000),
  ownChars: fc.constantFrom(200, 50_000),
  readable: fc.boolean(),
})

test(
  'whatever was asked before, places are those of a conversation that is weighed anew',
  () => {
    fc.assert(
      fc.property(
        fc.array(turns, { minLength: 1, maxLength: 3 }),
        fc.array(rules, { minLength: 1, maxLength: 3 }),
        (runs, asked) => {
          const log = logOf(runs)
          const projection = createProjection('')
          for (const [n, each] of log.entries()) {
            projection.take(each)
            const of = asked[n % asked.length]
            if (of) projection.cuts(of, n % 5)
          }
          for (const of of asked) expect(projection.cuts(of, 3)).toEqual(taken(log).cuts(of, 3))
        },
      ),
      { numRuns: casesOf(300) },
    )
  },
  timeout,
)
