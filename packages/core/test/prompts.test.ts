/** Whatever happened on a thread, every request that goes out is well paired (I24). */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPairing, conversationTypes, type FoldableEvent, project } from '../src/index.ts'
import { play, scripts } from './support/plays.ts'

/** The events that carry conversation: what a register hands over for a prompt. */
const conversational = (events: readonly FoldableEvent[]): readonly FoldableEvent[] =>
  events.filter(({ type }) => conversationTypes.some((each) => each === type))

const threads = fc.array(scripts, { minLength: 1, maxLength: 3 })

const runOf = (n: number): string => `01930000-0000-7000-8000-00000000000${n}`

test('whenever the model is asked, the prompt is one that providers take', () => {
  let asked = 0
  fc.assert(
    fc.property(threads, (runs) => {
      const before: FoldableEvent[] = []
      for (const [n, script] of runs.entries()) {
        const world = play(script, runOf(n))
        for (const { decision, logged } of world.decisions) {
          if (!decision.effects.some((effect) => effect.kind === 'model.call')) continue
          const events = [...before, ...world.log.slice(0, logged)]
          const prompt = project(script.agent.instructions, events)
          assert.deepEqual(checkPairing(prompt), [])
          assert.deepEqual(project(script.agent.instructions, conversational(events)), prompt)
          asked += 1
        }
        before.push(...world.log)
      }
    }),
    { numRuns: 700 },
  )
  expect(asked).toBeGreaterThan(700)
})
