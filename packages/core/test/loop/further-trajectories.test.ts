/**
 * Forty more kinds of honest work, and twenty more loops, through the loop check of a new agent. Would catch: a test after each edit, or a
 * button behind which the next page is, that counts as going in circles; a loop that blanks, capitals or a reason hide.
 */
import { expect, test } from 'vitest'
import { LoopConfig } from '../../src/verdict/loop/config.ts'
import { failed, furtherEffects, furtherHonest, furtherLoops } from './further-trajectories.ts'
import { newAgent, stoppedAt } from './played.ts'

const config = LoopConfig.parse(newAgent)
const played = (sets: Parameters<typeof stoppedAt>[0]) =>
  stoppedAt(sets, { config, effects: furtherEffects, failed })

test('there are forty more honest trajectories and twenty more loops', () => {
  const names = new Set([...furtherHonest, ...furtherLoops].map(([name]) => name))
  expect([furtherHonest.length, furtherLoops.length, names.size]).toEqual([40, 20, 60])
})

test.each(furtherHonest)('honest: %s', (_name, sets) => {
  expect(sets.length).toBeGreaterThanOrEqual(12)
  expect(played(sets)).toBeNull()
})

test.each(furtherLoops)('a loop: %s', (_name, sets, documented) => {
  expect(played(sets)).toBe(documented)
})

test('a definition of an older build decides as it did', () => {
  const older = { config: LoopConfig.parse({}), effects: furtherEffects, failed }
  const endOf = (name: string): number | null => {
    const [, sets] = furtherHonest.find((each) => each[0] === name) ?? ['', []]
    return stoppedAt(sets, older)
  }
  expect(endOf('tests that fail alike after each edit')).toBe(10)
  expect(endOf('pages behind one button')).toBe(9)
  expect(endOf('scrolling on without a look')).toBe(5)
})
