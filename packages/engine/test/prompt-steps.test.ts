/** The steps that make a prompt. Would catch: a step that fails without a word, or under which something executes all the same. */
import { factSchemas, limits, NewerError } from '@signalbox/core'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, it, onTestFinished } from 'vitest'
import { AbortError, TerminalError } from '../src/errors.ts'
import { promptOf, type PromptStep, promptSteps } from '../src/perform/prompt-steps.ts'
import { begin, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, turnModel, world } from './support/world.ts'

const failing = (error: Error): PromptStep => ({
  name: 'memory',
  apply: () => Promise.reject(error),
})

/** Says something. */
const user = (text: string): PromptStep => ({
  name: text,
  apply: (_deps, _task, draft) => ({
    ...draft,
    prompt: [...draft.prompt, { role: 'user', parts: [{ type: 'text', text }] }],
  }),
})

/** What the steps come to where none of them reads anything. */
const made = (...steps: readonly PromptStep[]) =>
  // The steps of these tests ask neither for what they get nor for a task.
  Reflect.apply(promptOf, undefined, [{}, {}, steps])

it('are these, in this order', () => {
  expect(promptSteps.map(({ name }) => name)).toEqual([
    'project',
    'learn',
    'memory',
    'hydrate',
    'pairing',
  ])
})

it('each get what the one before has made', async () => {
  const { prompt } = await made(user('a'), user('b'))
  expect(JSON.stringify(prompt)).toMatch(/"a".*"b"/)
})

it('fail the turn under their name', async () => {
  await expect(made(failing(new Error('no room')))).rejects.toThrow(
    'the step "memory" of the prompt failed: no room',
  )
})

it('leave to others what is newer than this build, and end with their call', async () => {
  const newer = new NewerError('an event of version 9')
  await expect(made(failing(newer))).rejects.toBe(newer)
  const aborted = new AbortError('cancelled')
  await expect(made(failing(aborted))).rejects.toBe(aborted)
})

it('refuse a prompt in which a call has no result', async () => {
  const unpaired: PromptStep = {
    name: 'unpaired',
    apply: (_deps, _task, draft) => ({
      ...draft,
      prompt: [
        { role: 'user', parts: [{ type: 'text', text: 'Look.' }] },
        {
          role: 'assistant',
          id: 'm1',
          parts: [{ type: 'tool_call', id: 'c1', name: 'look', args: {}, argsHash: '' }],
        },
      ],
    }),
  }
  const pairing = promptSteps.filter(({ name }) => name === 'pairing')
  await expect(made(unpaired, ...pairing)).rejects.toThrow('result_adjacent')
})

it('one that fails in a run: the model is not asked, and the run says which', async () => {
  const truth = createMemoryRegister(systemClock)
  const register = { ...truth, blob: () => Promise.reject(new TerminalError('gone', 'no blobs')) }
  let asked = 0
  const turns = turnModel([])
  const model = {
    call: (...call: Parameters<typeof turns.call>) => {
      asked += 1
      return turns.call(...call)
    },
  }
  const { engine } = world({ model, tools: functionTools({}), register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  const text = 'x'.repeat(limits.inlineBytesMax + 1)
  const runId = await begin(engine, agent([]), {
    input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text }] }],
  })
  expect(await outcomeOf(truth, runId)).toBe('failed')
  const { payload } = await eventOf(truth, runId, 'model.completed')
  const { turn } = factSchemas['model.completed'].parse(payload)
  expect(turn.error?.message).toBe('the step "hydrate" of the prompt failed: no blobs')
  expect(asked).toBe(0)
})
