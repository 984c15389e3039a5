/**
 * What a process has read of a thread serves its next run. Would catch: a thread that is read anew by each run, an answer that is missing
 * in or twice in the next prompt, a conversation that is gone on with where the run goes on from elsewhere.
 */
import { project, type Prompt } from '@signalbox/core'
import { type Model, type Register, systemClock, systemRandom } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, it } from 'vitest'
import { begin, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, world } from './support/world.ts'

const definition = agent([toolSpec('look')])

/** Runs one after the other in one thread, each of a call and an answer; the last prompt of each, and how often the register was read. */
async function thread(runs: number, over: Partial<Register> = {}) {
  const register: Register = { ...createMemoryRegister(systemClock), ...over }
  const reads = { conversation: 0, continuation: 0 }
  const counted: Register = {
    ...register,
    conversation: (...asked) => {
      reads.conversation += 1
      return register.conversation(...asked)
    },
    continuation: (...asked) => {
      reads.continuation += 1
      return register.continuation(...asked)
    },
  }
  const prompts: Prompt[] = []
  const turns = Array.from({ length: runs }, (_, n) => [
    [{ tool: 'look', args: { n } }],
    `Answer ${n}`,
  ]).flat()
  const scripted = turnModel(turns)
  const model: Model = {
    call: (request, sink, signal) => {
      prompts.push(request.prompt)
      return scripted.call(request, sink, signal)
    },
  }
  const tools = functionTools({ look: async ({ n }) => n ?? null })
  const { engine } = world({ model, tools, register: counted })
  await engine.start()
  const threadId = systemRandom.uuid()
  const expected: Prompt[] = []
  for (let n = 0; n < runs; n += 1) {
    const runId = await begin(engine, definition, { threadId })
    expect(await outcomeOf(register, runId)).toBe('completed')
    const said = await register.conversation(threadId, runId)
    const last = said.findLastIndex(({ type }) => type === 'model.completed')
    expected.push(project(definition.instructions, said.slice(0, last)))
  }
  await engine.stop(1_000)
  return { reads, prompts: prompts.filter((_, n) => n % 2 === 1), expected }
}

describe('a thread of several runs', () => {
  it('is read once, and what was said since by each run', async () => {
    const { reads, prompts, expected } = await thread(5)
    expect(reads).toEqual({ conversation: 1, continuation: 4 })
    expect(prompts).toEqual(expected)
  })

  it('is read anew where the register says that a run does not go on from what is known', async () => {
    const { reads, prompts, expected } = await thread(3, { continuation: async () => null })
    expect(reads).toEqual({ conversation: 3, continuation: 2 })
    expect(prompts).toEqual(expected)
  })
})
