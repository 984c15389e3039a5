/** The words about sets in turns, however many there are. Would catch: a model that goes through three sets and is told of two. */
import { expect, test } from 'vitest'
import { linePartsOf } from '../../src/index.ts'
import { loopEvent } from '../../src/verdict/loop/event.ts'
import { newAgent } from './played.ts'
import { search, walk } from './walk.ts'

/** The feedback that the model reads and the line of the log, of so many sets that were asked for three times in turns. */
function wordsOf(sets: number): readonly string[] {
  // Both of the other counts stay below their warnings.
  const loop = { ...newAgent, warnThreshold: 5, hardLimit: 5 }
  const turns = Array.from({ length: sets * 3 }, (_, n) => search(`q${n % sets}`, `r${n % sets}`))
  const verdict = walk(loop, turns).verdicts.findLast((each) => each !== null) ?? null
  expect(verdict).toMatchObject({ layer: 'alternating_cycle', action: 'warn', count: 3 })
  const [event] = loopEvent(verdict)
  const text = event?.type === 'loop.warned' ? event.payload.text : ''
  return [text, event ? linePartsOf({ ...event, version: 1 }, true).join(' ') : '']
}

test.each([2, 3, 4, 5])('%d sets in turns are told with their count', (sets) => {
  for (const words of wordsOf(sets)) expect(words).toMatch(/3/)
})

test.each([3, 4, 5])('%d sets in turns are not told as two', (sets) => {
  for (const words of wordsOf(sets)) expect(words).not.toMatch(/\btwo\b|back and forth/)
})
