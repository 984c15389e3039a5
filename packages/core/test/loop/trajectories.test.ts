/**
 * Honest work is not stopped, and loops are, where the documentation says. Would catch: drafts, pages and parametrised queries
 * that count as the same call, and a loop of three that is seen too late.
 */
import { expect, test } from 'vitest'
import { digest } from '../support/facts.ts'
import { LoopConfig } from '../../src/verdict/loop/config.ts'
import { setKey } from '../../src/verdict/loop/keys.ts'
import { closeSet, takeResult } from '../../src/verdict/loop/results.ts'
import { emptyLoop } from '../../src/verdict/loop/state.ts'
import { judgeSet } from '../../src/verdict/loop/verdict.ts'
import { effects, honest, loops, type Trajectory } from './trajectories.ts'

const effectOf = (tool: string) => effects[tool]

/** The set that was refused, from 1; null if none was. `config`: of a new agent. */
function stoppedAt(sets: Trajectory, config = LoopConfig.parse({ cycles: { longest: 3 } })) {
  let state = emptyLoop
  for (const [at, calls] of sets.entries()) {
    const named = calls.map(({ tool, args }) => ({ name: tool, args }))
    const asked = { set: digest(setKey(named, effectOf)), tools: calls.map(({ tool }) => tool) }
    const judged = judgeSet({ config, toolNames: Object.keys(effects) }, state, asked)
    if (judged.verdict?.action === 'stop') return at + 1
    state = judged.state
    for (const { tool, gives } of calls)
      state = takeResult(state, { digest: digest(gives), reads: effectOf(tool) === 'read' })
    state = closeSet(config, state)
  }
  return null
}

test('there are a hundred honest trajectories and forty loops', () => {
  expect([honest.length, loops.length]).toEqual([100, 40])
})

test.each(honest)('honest: %s', (_name, sets) => {
  expect(sets.length).toBeGreaterThanOrEqual(20)
  expect(stoppedAt(sets)).toBeNull()
})

test.each(loops)('a loop: %s', (_name, sets, documented) => {
  expect(stoppedAt(sets)).toBe(documented)
})

test('a run of an older build looks for two in turns, as it did', () => {
  const [, sets] = loops.find(([name]) => name.startsWith('three')) ?? ['', []]
  expect(stoppedAt(sets, LoopConfig.parse({}))).toBe(13)
})
