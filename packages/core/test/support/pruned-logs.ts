/** Conversations that fast-check makes, with prunes and cuts anywhere. */
import fc from 'fast-check'
import type { FoldableEvent } from '../../src/index.ts'
import { answered, asked, said, text } from './log.ts'
import { compactedEvent, numbered, prunedEvent, resultOf } from './room.ts'

/** Turns of a run: how many calls each asks for, how long each result is, where a prune comes, and where a summary. */
export const turns = fc.array(
  fc.record({
    calls: fc.integer({ min: 0, max: 3 }),
    chars: fc.constantFrom(10, 999, 1_000, 4_000),
    isError: fc.boolean(),
    prune: fc.option(fc.nat(60), { nil: null }),
    cut: fc.option(fc.nat(60), { nil: null, freq: 3 }),
  }),
  { minLength: 1, maxLength: 12 },
)

/** The log of these runs, one behind the other. */
export const logOf = (runs: readonly (readonly TurnShape[])[]): readonly FoldableEvent[] =>
  runs.flatMap((shapes, r) => {
    const runId = `r${r}`
    const log: FoldableEvent[] = [said([`go ${r}`])]
    for (const [n, { calls, chars, isError, prune, cut }] of shapes.entries()) {
      const ids = Array.from({ length: calls }, (_, at) => `c${r}_${n}_${at}`)
      const placeOf = (at: number) => ({
        runId: `r${at % (r + 1)}`,
        seq: Math.min(at, log.length),
      })
      if (prune !== null) log.push(prunedEvent(placeOf(prune)))
      if (cut !== null) log.push(compactedEvent(placeOf(cut), cut % 3 ? { words } : {}))
      log.push(answered(`m${r}_${n}`, [text('so'), ...ids.map((id) => asked(id))]))
      for (const id of ids.toReversed()) log.push(resultOf(id, 'z'.repeat(chars), isError))
    }
    return numbered(runId, log)
  })

const words = { id: 'u0', parts: [text('What is it?')] }

type TurnShape = typeof turns extends fc.Arbitrary<(infer T)[]> ? T : never
