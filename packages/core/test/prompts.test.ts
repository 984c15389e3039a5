/** Whatever happened on a thread, every request that goes out is well paired (I24). */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checkPairing,
  conversationTypes,
  createPairing,
  createProjection,
  type Prompt,
  type FoldableEvent,
  project,
} from '../src/index.ts'
import { answered, asked as call, completed, said } from './support/log.ts'
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

test('a prompt that is made anew from what is new is the one that is made from all', () => {
  let asked = 0
  fc.assert(
    fc.property(threads, (runs) => {
      const before: FoldableEvent[] = []
      for (const [n, script] of runs.entries()) {
        const { instructions } = script.agent
        const world = play(script, runOf(n))
        const projection = createProjection(instructions)
        const check = createPairing()
        let last: Prompt = []
        for (const event of before) projection.take(event)
        for (const [at, event] of world.log.entries()) {
          projection.take(event)
          if (at % 3 !== 0) continue
          const events = [...before, ...world.log.slice(0, at + 1)]
          const prompt = projection.prompt()
          const { kept } = projection
          assert.deepEqual(prompt, project(instructions, events))
          assert.deepEqual(check(prompt, kept), checkPairing(prompt))
          for (const [place, message] of prompt.slice(0, kept).entries())
            assert.equal(message, last[place])
          last = prompt
          asked += 1
        }
        before.push(...world.log)
      }
    }),
    { numRuns: 150 },
  )
  expect(asked).toBeGreaterThan(700)
})

test('of a long conversation, a turn writes and checks nothing but what is new', () => {
  const projection = createProjection('You work.')
  projection.take(said(['Work.']))
  let last = projection.prompt()
  let kept = 0
  for (let turn = 1; turn <= 2_000; turn++) {
    const id = `c_${turn}`
    projection.take(answered(`m_${turn}`, [call(id)]))
    projection.take(completed(id))
    const prompt = projection.prompt()
    expect(prompt.length).toBe(last.length + 2)
    if (last.every((message, at) => prompt[at] === message) && projection.kept === last.length)
      kept += 1
    last = prompt
  }
  expect(kept).toBe(2_000)
})
