/** Conversations that fast-check makes, with prunes anywhere. */
import fc from 'fast-check'
import type { FoldableEvent } from '../../src/index.ts'
import { answered, asked, said, text } from './log.ts'
import { numbered, prunedEvent, resultOf } from './room.ts'

/** Turns of a run: how many calls each asks for, how long each result is, and where a prune comes. */
export const turns = fc.array(
  fc.record({
    calls: fc.integer({ min: 0, max: 3 }),
    chars: fc.constantFrom(10, 999, 1_000, 4_000),
    isError: fc.boolean(),
    prune: fc.option(fc.nat(60), { nil: null }),
  }),
  { minLength: 1, maxLength: 12 },
)

/** The log of these runs, one behind the other. */
export const logOf = (runs: readonly (readonly TurnShape[])[]): readonly FoldableEvent[] =>
  runs.flatMap((shapes, r) => {
    const runId = `r${r}`
    const log: FoldableEvent[] = [said([`go ${r}`])]
    for (const [n, { calls, chars, isError, prune }] of shapes.entries()) {
      const ids = Array.from({ length: calls }, (_, at) => `c${r}_${n}_${at}`)
      if (prune !== null)
        log.push(prunedEvent({ runId: `r${prune % (r + 1)}`, seq: Math.min(prune, log.length) }))
      log.push(answered(`m${r}_${n}`, [text('so'), ...ids.map((id) => asked(id))]))
      for (const id of ids.toReversed()) log.push(resultOf(id, 'z'.repeat(chars), isError))
    }
    return numbered(runId, log)
  })

type TurnShape = typeof turns extends fc.Arbitrary<(infer T)[]> ? T : never
