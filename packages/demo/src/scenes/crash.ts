/** The worker dies in the middle of a call. */
import { demoEngine } from '../demo-config.ts'
import { expect } from '../expect.ts'
import type { RunEvent } from '../run-event.ts'
import type { Scene, Stage } from '../scene.ts'
import { slowTool, slowToolStarted } from '../slow-tool.ts'

const agent = 'survivor'
/** Long enough that the kill comes in its middle on a busy machine too. */
const toolS = 5

export const crashScene: Scene = {
  title: 'SIGKILL the worker in the middle of a call',
  why: 'No process owns a run: the call is a row with a lease, and another worker takes it over.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You work.',
      tools: [slowTool],
    },
  }),
  scripts: {
    [agent]: (_, turn) =>
      turn === 0
        ? { calls: [{ name: slowTool, args: { duration: toolS, steps: toolS } }] }
        : { text: 'Done, although somebody pulled the plug.', delayMs: 15, chunkSize: 6 },
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const { print, worker } = stage
  const run = stage.run({ agent, input: `Run the operation of ${toolS} seconds.` })
  await run.until(slowToolStarted)
  await stage.pause(500)
  print.act(`kill -9 ${worker.pid}, the worker; its MCP servers die with it`)
  await worker.kill()
  await stage.startWorker()
  print.act(`worker ${worker.pid} is there; it may take the call when the lease has run out`)
  const { outcome, events } = await run.ended
  print.outcome(outcome)
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  const attempts = events.filter(slowToolStarted)
  expect(attempts.length >= 2, `the log shows ${attempts.length} attempt, not both`)
  expect(new Set(attempts.map(effectOf)).size === 1, 'the attempts are not of one call')
  expect(new Set(attempts.map(({ actor }) => actor)).size >= 2, 'both attempts are of one worker')
  print.met('the log shows both attempts, of one call, by two workers')
  const done = events.filter(({ type, tool }) => type === 'tool.completed' && tool === slowTool)
  expect(done.length === 1, `the call has ${done.length} results, not one`)
  const leaseS = demoEngine.leaseMs / 1000
  print.met(`the call has one result (leases last ${leaseS} s in this demo, 15 s by default)`)
}

const effectOf = ({ payload }: RunEvent): unknown => payload['effectId']
