/**
 * `npm run bench:room [-- --turns 1000] [--windows 32000,128000] [--json]`: a run of many turns with results of 8 kB before windows that it fills many
 * times over, against a provider that counts tokens and cached beginnings. Prints every figure beside its limit. Exit 1 if one is missed.
 */
import { missingOptions } from '@signalbox/server'
import { parseArgs } from 'node:util'
import {
  type Judged,
  judgedOf,
  type LongRunFigures,
  playLongRun,
} from '../../packages/engine/test/support/long-run.ts'

const missing = missingOptions()
if (missing.length > 0) {
  // A request is built in less than a millisecond: with another heap, the collector's time would be most of it.
  console.error(
    `start the bench as \`npm run bench:room\` does, by \`node ${missing.join(' ')}\`, as processes of Signalbox run`,
  )
  process.exit(2)
}

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '1000' },
    windows: { type: 'string', default: '32000,128000' },
    json: { type: 'boolean', default: false },
  },
})
const turns = Number(values.turns)

let [passed, failed] = [0, 0]
for (const window of values.windows.split(',').map(Number)) {
  const figures = await playLongRun({ turns, window })
  const judged = judgedOf({ turns, window }, figures)
  passed += judged.filter(({ holds }) => holds).length
  failed += judged.filter(({ holds }) => !holds).length
  print({ window, figures, judged })
}
if (!values.json) console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function print({
  window,
  figures,
  judged,
}: {
  readonly window: number
  readonly figures: LongRunFigures
  readonly judged: readonly Judged[]
}): void {
  if (values.json) return console.log(JSON.stringify({ turns, window, ...figures, judged }))
  const { requests, prunes, summaries, buildAt100, buildAtEnd, seconds } = figures
  console.log(
    `\nwindow ${window}, ${turns} turns: ${requests} requests, ${prunes} prunes, ${summaries} summaries, ${seconds.toFixed(0)} s; ` +
      `a request is built in ${buildAt100.toFixed(2)} ms at turn 100, in ${buildAtEnd.toFixed(2)} ms at the end; ` +
      `median share of a request that is the last one's: ${figures.medianSame.toFixed(3)}`,
  )
  for (const { what, value, limit, is, holds } of judged)
    console.log(
      `  ${what.padEnd(36)} ${shown(value).padStart(10)}  ${is} ${shown(limit)}${holds ? '' : '  MISSED'}`,
    )
}

function shown(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(4)
}
