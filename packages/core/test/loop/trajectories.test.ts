/**
 * Honest work is not stopped, and loops are, where the documentation says. Would catch: drafts, pages and parametrised queries
 * that count as the same call, and a loop of three that is seen too late.
 */
import { expect, test } from 'vitest'
import { LoopConfig } from '../../src/verdict/loop/config.ts'
import { newAgent, stoppedAt } from './played.ts'
import { effects, honest, loops } from './trajectories.ts'

const config = LoopConfig.parse(newAgent)

test('there are a hundred honest trajectories and forty loops', () => {
  expect([honest.length, loops.length]).toEqual([100, 40])
})

test.each(honest)('honest: %s', (_name, sets) => {
  expect(sets.length).toBeGreaterThanOrEqual(20)
  expect(stoppedAt(sets, { config, effects })).toBeNull()
})

test.each(loops)('a loop: %s', (_name, sets, documented) => {
  expect(stoppedAt(sets, { config, effects })).toBe(documented)
})

test('a run of an older build looks for two in turns, as it did', () => {
  const [, sets] = loops.find(([name]) => name.startsWith('three')) ?? ['', []]
  expect(stoppedAt(sets, { config: LoopConfig.parse({}), effects })).toBe(13)
})
