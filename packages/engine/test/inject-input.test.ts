/**
 * What is said to a run that goes on (S1, S2). Would catch: words that were accepted and that no turn was shown, the same
 * request heard twice, words that are taken after a cancel.
 */
import type { AgentDefinition, UserMessage } from '@signalbox/core'
import { afterEach, describe, expect, test } from 'vitest'
import type { Engine } from '../src/index.ts'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { systemClock } from '../src/system.ts'
import { agent, functionTools, turnModel, until, world } from './support/world.ts'

const caller = { tenantId: 'default', actor: 'user:ann' }
const message = (text: string): UserMessage => ({
  id: `u_${text}`,
  role: 'user',
  parts: [{ type: 'text', text }],
})

let running: Engine | null = null
afterEach(() => running?.stop(1_000))

/** A world whose model answers when it is let go; `prompts` is what it was asked. */
function steered(answers: readonly string[], over: { readonly roles?: readonly [] } = {}) {
  const register = createMemoryRegister(systemClock)
  const prompts: string[] = []
  const waiting: (() => void)[] = []
  const model = turnModel(answers)
  const made = world({
    register,
    tools: functionTools({}),
    model: {
      async call(request, sink, signal) {
        const texts = request.prompt.flatMap((each) =>
          'parts' in each ? each.parts.map((part) => (part.type === 'text' ? part.text : '')) : [],
        )
        prompts.push(texts.join('|'))
        await new Promise<void>((resolve, reject) => {
          waiting.push(resolve)
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        })
        return model.call(request, sink, signal)
      },
    },
    ...over,
  })
  running = made.engine
  return {
    engine: made.engine,
    register,
    prompts,
    /** Lets the model answer its nth question, from 1. */
    answer: async (n: number) => (await until(async () => waiting[n - 1]))(),
    say: (runId: string, text: string, key = text) =>
      made.engine.commands.injectInput({ ...caller, runId, messages: [message(text)], key }),
    start: async (definition: AgentDefinition = agent([]), more: object = {}) => {
      const created = await made.engine.commands.createRun({
        ...caller,
        threadId: 't',
        definition,
        input: [message('go')],
        metadata: {},
        alias: null,
        ...more,
      })
      if (created.code !== 'created') throw new Error(created.code)
      return created.runId
    },
    ended: (runId: string) =>
      until(async () => {
        const head = await register.head(runId)
        return head?.status === 'ended' ? head.outcome : null
      }),
  }
}

test('said while the model answers, it is answered by one more turn', async () => {
  const { engine, start, say, answer, ended, prompts } = steered(['one', 'two'])
  await engine.start()
  const runId = await start()
  await until(async () => prompts[0])
  expect(await say(runId, 'in German')).toEqual({ code: 'accepted' })
  await answer(1)
  await answer(2)
  expect(await ended(runId)).toBe('completed')
  expect(prompts).toEqual(['go', 'go|one|in German'])
})

test('two at once are both kept, in the order of the log', async () => {
  const { engine, register, start, say, answer, ended, prompts } = steered(['one', 'two'])
  await engine.start()
  const runId = await start()
  await until(async () => prompts[0])
  await Promise.all([say(runId, 'a'), say(runId, 'b')])
  await answer(1)
  await answer(2)
  await ended(runId)
  const events = await register.events(runId, {})
  const said = events.flatMap(({ type, payload }) =>
    type === 'input.injected' ? [JSON.stringify(payload)] : [],
  )
  expect(said).toHaveLength(2)
  const order = said.map((each) => (each.includes('u_a') ? 'a' : 'b'))
  expect(prompts.at(-1)).toBe(`go|one|${order.join('|')}`)
})

test('the same key is said once; other words under it are a conflict', async () => {
  const { register, start, say } = steered([], { roles: [] })
  const runId = await start()
  expect(await say(runId, 'a', 'k')).toEqual({ code: 'accepted' })
  expect(await say(runId, 'a', 'k')).toEqual({ code: 'already' })
  expect(await say(runId, 'b', 'k')).toEqual({ code: 'conflict' })
  const events = await register.events(runId, {})
  expect(events.filter(({ type }) => type === 'input.injected')).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ actor: 'user:ann', payload: { bytes: 1 } })
})

test('racing the end of the run, it is answered or refused, never neither', async () => {
  const { engine, register, start, say, answer, prompts } = steered(['one'])
  await engine.start()
  for (let n = 0; n < 20; n += 1) {
    const asked = prompts.length
    const runId = await start(agent([]), { threadId: `t${n}` })
    await until(async () => prompts[asked])
    const word = `word ${n}`
    const [, told] = await Promise.all([
      answer(asked + 1),
      new Promise((resolve) => setTimeout(resolve, n / 4)).then(() => say(runId, word)),
    ])
    const isShown = () => prompts.some((each) => each.includes(word))
    const isTaken = told.code === 'accepted'
    if (isTaken) await until(async () => isShown())
    const head = await register.head(runId)
    expect([told.code, isShown(), head?.status]).toEqual(
      isTaken ? ['accepted', true, 'running'] : ['ended', false, 'ended'],
    )
  }
})

describe('is refused', () => {
  test('for a run that is not there, is somebody else’s, or is to end', async () => {
    const { engine, start, say } = steered([], { roles: [] })
    expect(await say('nobody', 'a')).toEqual({ code: 'no_run' })
    const runId = await start()
    const other = { ...caller, tenantId: 'other', runId, messages: [message('a')], key: 'a' }
    expect(await engine.commands.injectInput(other)).toEqual({ code: 'no_run' })
    await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
    expect(await say(runId, 'a')).toEqual({ code: 'ended' })
  })

  test('for an edit, which asks no model', async () => {
    const { start, say } = steered([], { roles: [] })
    await start()
    const edit = await start(agent([]), { input: [], edit: { messages: [] } })
    expect(await say(edit, 'a')).toEqual({ code: 'no_model' })
  })

  test('beyond the limits of a run', async () => {
    const { start, say } = steered([], { roles: [] })
    const runId = await start()
    expect(await say(runId, 'x'.repeat(1024 * 1024 + 1))).toEqual({ code: 'full' })
    expect(await say(runId, 'ü'.repeat(400 * 1024))).toEqual({ code: 'accepted' })
    expect(await say(runId, 'x'.repeat(300 * 1024))).toEqual({ code: 'full' })
  })

  test('of an end user who is held', async () => {
    const { engine, register, start } = steered([], { roles: [] })
    const hold = { stops: 1, withinMs: 1_000, holdMs: 60_000 }
    const runId = await start(agent([], { safety: { hold } }))
    register.safetyStops = async () => [Date.now()]
    const said = { ...caller, runId, messages: [message('a')], key: 'a', endUser: 'u' }
    expect(await engine.commands.injectInput(said)).toMatchObject({ code: 'held', stops: 1 })
  })
})
