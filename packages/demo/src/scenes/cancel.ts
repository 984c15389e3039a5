/** A cancel while a tool is running. */
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'
import { slowTool, slowToolStarted } from '../slow-tool.ts'

const agent = 'waiter'
const toolS = 60

export const cancelScene: Scene = {
  title: `Cancel while a tool of ${toolS} seconds is running`,
  why: 'A cancel reaches the running call on its worker, and from its answer on nothing new starts.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You wait.',
      tools: [slowTool],
    },
  }),
  scripts: {
    [agent]: (_, turn) =>
      turn === 0
        ? { calls: [{ name: slowTool, args: { duration: toolS, steps: toolS } }] }
        : { text: 'The operation is done.' },
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const run = stage.run({ agent, input: `Run the operation of ${toolS} seconds.` })
  const started = await run.until(slowToolStarted)
  await stage.pause(600)
  stage.print.act('POST /runs/{run_id}/cancel?wait=1')
  const since = performance.now()
  const status = await stage.post(`/runs/${started.run_id}/cancel?wait=1&reason=demo`)
  const ms = Math.round(performance.now() - since)
  const { outcome, events } = await run.ended
  stage.print.outcome(outcome)
  expect(outcome === 'cancelled', `the outcome is ${outcome}, not cancelled`)
  expect(status === 204, `the cancel answered ${status}, not 204: the run had not ended`)
  stage.print.met(`the cancel answered 204 after ${ms} ms: the run had ended by then`)
  const asked = events.findIndex(({ type }) => type === 'cancel.requested')
  const late = events.slice(asked).some(({ type }) => type === 'effect.started')
  expect(asked >= 0 && !late, 'something started after the cancel')
  const aborted = events.some(({ type, tool }) => type === 'tool.aborted' && tool === slowTool)
  expect(aborted, 'the running call was not aborted')
  stage.print.met('the running call was aborted, and nothing started after the cancel')
}
