/**
 * The word of a title call to the circuit breaker about its model. Would catch: a model that answers no title, or cannot be asked, and is said to be
 * well: a circuit that is being probed would close, and the failures of turns would be forgotten.
 */
import { type Model, type ModelRequest, type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, onTestFinished, test } from 'vitest'
import { fastClock } from './support/outage.ts'
import { begin, caller } from './support/governed.ts'
import { agent, functionTools, turnModel, until, world } from './support/world.ts'

const isTitle = ({ messageId }: ModelRequest): boolean => !messageId.startsWith('m_')

/** The outcomes that the register is told of, when a title was asked for in this way while the circuit had failures. */
async function reported(title: Model['call']) {
  const truth = createMemoryRegister(systemClock)
  const threadId = 't1'
  const thread = { tenantId: caller.tenantId, threadId }
  await truth.ensureThread({ ...thread, metadata: {}, createdAt: 1, contentKey: 'ab'.repeat(32) })
  const told: string[] = []
  const register: Register = {
    ...truth,
    // As if other processes had failed with it.
    admitCall: async () => ({ state: 'probe', failures: 3, waitMs: 0 }),
    reportCall: async (_model, outcome) => void told.push(outcome),
  }
  const turns = turnModel(['the answer'])
  const model: Model = {
    call: (request, sink, signal) =>
      isTitle(request) ? title(request, sink, signal) : turns.call(request, sink, signal),
  }
  const { engine } = world({
    model,
    tools: functionTools({}),
    register,
    clock: fastClock,
    settings: { pollMs: 10 },
  })
  await engine.start()
  onTestFinished(() => engine.stop(0))
  const runId = await begin(engine, agent([], { title: { maxWords: 4 } }), { threadId })
  const notes = async () =>
    (await truth.events(runId, {})).filter(({ payload }) => payload['effectId'])
  await until(async () =>
    (await notes()).some(({ type, payload }) => {
      return type === 'title.unchanged' || (type === 'thread.titled' && payload['by'] === 'model')
    }),
  )
  // The first is of the turn.
  expect(told[0]).toBe('ok')
  return told.slice(1)
}

const ending =
  (said: string): Model['call'] =>
  (_request, sink, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      if (said !== '') sink.delta('text', said)
    })

test('one that never answers has failed', async () => {
  expect(await reported(ending(''))).toEqual(['failed'])
})

test('one that is cut off while it answers is well', async () => {
  expect(await reported(ending('x'.repeat(100_000)))).toEqual(['ok'])
})

test('of one that could not be asked, nothing is said', async () => {
  expect(await reported(() => Promise.reject(new Error('no such model')))).toEqual([])
})

test('of a request that it refuses, nothing is said', async () => {
  const refused = await reported(async (request) => ({
    verdict: 'error',
    message: { id: request.messageId, role: 'assistant', parts: [] },
    suppressed: [],
    evidence: [],
    finish: null,
    usage: {},
    error: { class: 'auth', kind: 'auth', retryable: false, message: 'no key' },
    provider: 'scripted',
    model: 'test',
  }))
  expect(refused).toEqual([])
})
