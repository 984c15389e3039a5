/** A model that goes in circles. */
import { expect } from '../expect.ts'
import type { RunEvent } from '../run-event.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'looper'
const reading = 'mcp__fs__read_text_file'
const hardLimit = 5

export const loopScene: Scene = {
  title: 'The model asks for the same call, again and again',
  why: 'Sets of calls are counted; the model is warned at the third, and the fifth is never executed.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You read.',
      tools: [reading],
      loop: { warnThreshold: 3, hardLimit },
    },
  }),
  scripts: { [agent]: () => ({ calls: [{ name: reading, args: { path: 'LICENSE' } }] }) },
  play,
}

async function play(stage: Stage): Promise<void> {
  const { outcome, events } = await stage.run({ agent, input: 'Read LICENSE.' }).ended
  stage.print.outcome(outcome)
  expect(outcome === 'loop_stopped', `the outcome is ${outcome}, not loop_stopped`)
  const warned = events.filter(isOf('loop.warned'))
  expect(warned.length === 1, `the model was warned ${warned.length} times, not once`)
  stage.print.met(
    `the model was warned once, after ${String(warned[0]?.payload['count'])} equal sets`,
  )
  const stopped = events.filter(isOf('loop.stopped'))
  const count = stopped[0]?.payload['count']
  expect(stopped.length === 1 && count === hardLimit, `it was stopped at ${String(count)} sets`)
  const executed = events.filter(isOf('tool.completed')).length
  expect(executed === hardLimit - 1, `${executed} of the calls were executed`)
  stage.print.met(`set ${hardLimit} was refused: ${executed} calls ran, and the run ended there`)
}

const isOf =
  (wanted: string) =>
  (event: RunEvent): boolean =>
    event.type === wanted
