/**
 * A long run before windows of 32,000 and 128,000 tokens (context systems §19, numbers). Would catch: input that grows with the square of the turns,
 * a prefix that changes with every turn, a request over the window.
 *
 * 150 turns with every commit, 1,000 with `SIGNALBOX_FULL=1`. `npm run bench:room` prints the figures.
 */
import { expect, test } from 'vitest'
import { judgedOf, playLongRun } from './support/long-run.ts'

const isFull = process.env['SIGNALBOX_FULL'] === '1'
const turns = isFull ? 1_000 : 150

test.each([32_000, 128_000])(
  'a run of many turns in a window of %i',
  async (window) => {
    const figures = await playLongRun({ turns, window })
    const missed = judgedOf({ turns, window }, figures).filter(({ holds }) => !holds)
    expect(missed).toEqual([])
  },
  isFull ? 600_000 : 120_000,
)
