/**
 * The events that a process reads for a decision feed its prompts (T2 of the transcripts). Would catch: events behind a gap that are taken for the
 * whole, events that are taken twice, and a run of which nothing is kept that begins in its middle. That every prompt is what the log says
 * is asked in the simulation (`test/simulation/prompts.ts`), reads are counted in `own-work.test.ts`.
 */
import { project } from '@signalbox/core'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, it } from 'vitest'
import { createTranscripts } from '../src/perform/transcript.ts'
import { begin, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, world } from './support/world.ts'

const definition = agent([toolSpec('look')])
const { instructions } = definition
const threadId = 'a thread'

/** The log of a run of two calls and an answer, and a transcript that has read it up to `known`. */
async function read(known: number) {
  const register = createMemoryRegister(systemClock)
  const model = turnModel([
    [{ tool: 'look', args: { n: 1 } }],
    [{ tool: 'look', args: { n: 2 } }],
    'Done.',
  ])
  const { engine } = world({ model, tools: functionTools({ look: async () => 1 }), register })
  await engine.start()
  const runId = await begin(engine, definition, { threadId })
  expect(await outcomeOf(register, runId)).toBe('completed')
  await engine.stop(1_000)
  const log = await register.events(runId, {})
  let asked = 0
  const transcripts = createTranscripts(
    {
      ...register,
      conversation: async () => log.slice(0, known),
      events: async (_, { after = 0 }) => {
        asked += 1
        return log.slice(after)
      },
    },
    10,
  )
  const place = { runId, threadId }
  await transcripts.read(place, known)
  const promptAt = async (seq: number) =>
    (await transcripts.prompt(place, seq, { instructions, catalogue: '' })).prompt
  const expectedAt = (seq: number) => project(instructions, log.slice(0, seq))
  return { runId, log, transcripts, promptAt, expectedAt, asked: () => asked }
}

it('goes on with what comes right behind what it has, and takes nothing twice', async () => {
  const { runId, log, transcripts, promptAt, expectedAt, asked } = await read(1)
  expect(transcripts.keptTo(runId)).toBe(1)
  for (const [from, to] of [
    [0, 4],
    [2, 9],
    [9, 12],
    [3, 7],
  ] as const)
    transcripts.take(runId, log.slice(from, to))
  expect(transcripts.keptTo(runId)).toBe(12)
  expect(await promptAt(12)).toEqual(expectedAt(12))
  expect(asked()).toBe(0)
})

it('shows no prompt what came after its claim, although it has it', async () => {
  const { runId, log, transcripts, promptAt, expectedAt } = await read(1)
  transcripts.take(runId, log)
  for (const seq of [5, 2, log.length, 9]) expect(await promptAt(seq)).toEqual(expectedAt(seq))
})

it('does not go on behind a gap', async () => {
  const { runId, log, transcripts, promptAt, expectedAt, asked } = await read(1)
  transcripts.take(runId, log.slice(2))
  transcripts.take(runId, [])
  expect(transcripts.keptTo(runId)).toBe(1)
  expect(await promptAt(log.length)).toEqual(expectedAt(log.length))
  expect(asked()).toBe(1)
})

it('is told of silence only from where it ends', async () => {
  const { runId, log, transcripts, promptAt, expectedAt, asked } = await read(1)
  transcripts.nothingSaid(runId, { from: 2, to: log.length })
  expect(transcripts.keptTo(runId)).toBe(1)
  transcripts.take(runId, log.slice(0, 5))
  transcripts.nothingSaid(runId, { from: 4, to: 6 })
  transcripts.nothingSaid(runId, { from: 4, to: 5 })
  expect(transcripts.keptTo(runId)).toBe(6)
  expect(await promptAt(6)).toEqual(expectedAt(5))
  expect(asked()).toBe(0)
})

it('keeps nothing of a run whose prompt it was not asked for', async () => {
  const { runId, log, transcripts } = await read(1)
  const other = log.map((event) => ({ ...event, runId: 'another' }))
  transcripts.take('another', other)
  transcripts.nothingSaid('another', { from: 0, to: 9 })
  expect(transcripts.keptTo('another')).toBeNull()
  transcripts.forget(runId)
  transcripts.take(runId, log)
  expect(transcripts.keptTo(runId)).toBeNull()
})
