/** A cancel while a command of `bash` has a tree of processes. */
import { readdir, readFile } from 'node:fs/promises'
import process from 'node:process'
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'forester'
/** Seconds that no other program on the machine sleeps for. */
const seconds = 40_000 + (process.pid % 10_000)
/** Three pairs in shells of their own, and one that has left its session and hears no hang-up. */
const command = [
  `for n in 1 2 3; do (sleep ${seconds} & sleep ${seconds}) & done`,
  `setsid nohup sleep ${seconds} > /dev/null 2>&1 &`,
  `trap '' TERM INT HUP`,
  `while true; do sleep ${seconds}; done`,
].join('\n')
const processesMin = 8

export const treeScene: Scene = {
  title: 'A command is cancelled in the middle of a tree of processes',
  why: 'A cancel ends all that a command has started, whatever left its session or its group: the call is aborted, never unknown.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You plant trees.',
      tools: ['bash'],
    },
  }),
  scripts: {
    [agent]: (_, turn) =>
      turn === 0
        ? { calls: [{ name: 'bash', args: { command } }] }
        : { text: 'The forest is planted.' },
  },
  play,
}

/** Processes of the command that this machine runs. They end within the pause between two looks, or never. */
async function alive(): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
  return (await Promise.all(lines)).filter((line) => line === `sleep\0${seconds}\0`).length
}

const triesMax = 100
const betweenMs = 100

/** Looks until it holds; the last count. */
async function count(stage: Stage, holds: (n: number) => boolean): Promise<number> {
  for (let n = 0; ; n += 1) {
    const found = await alive()
    if (holds(found) || n === triesMax) return found
    await stage.pause(betweenMs)
  }
}

async function play(stage: Stage): Promise<void> {
  const { print } = stage
  const isReal = stage.sandbox === 'bubblewrap'
  const run = stage.run({ agent, input: 'Plant a forest.' })
  const started = await run.until(({ type, tool }) => type === 'effect.started' && tool === 'bash')
  if (!isReal) await stage.pause(1_500)
  const before = isReal ? await count(stage, (n) => n >= processesMin) : 0
  expect(!isReal || before >= processesMin, `${before} processes run, not ${processesMin}`)
  print.act('POST /runs/{run_id}/cancel?wait=1')
  const since = performance.now()
  const status = await stage.post(`/runs/${started.run_id}/cancel?wait=1&reason=demo`)
  const ms = Math.round(performance.now() - since)
  const { outcome, events } = await run.ended
  print.outcome(outcome)
  expect(outcome === 'cancelled', `the outcome is ${outcome}, not cancelled`)
  expect(status === 204, `the cancel answered ${status}, not 204: the run had not ended`)
  const types = events.flatMap(({ type, tool }) => (tool === 'bash' ? [type] : []))
  expect(types.includes('tool.aborted'), 'the running command was not aborted')
  expect(!types.includes('tool.unknown'), 'nobody knows what became of the command')
  if (!isReal) {
    print.met(`the script was ended after ${ms} ms (no bubblewrap here, so it had no processes)`)
    return
  }
  const left = await alive()
  expect(left === 0, `${left} of ${before} processes are left`)
  print.met(`the cancel answered 204 after ${ms} ms: of ${before} processes none was left`)
}
