/** A run that a newer build has written to is shown by an older API: streams and states go on, the log is as it is. */
import type { StoredEvent } from '@signalbox/engine'
import { expect, it } from 'vitest'
import { followRun } from '../src/stream/follow-run.ts'
import { foldSteps, stepHeads } from '../src/wires/langgraph/state-steps.ts'
import { threadEvents } from '../src/wires/langgraph/state.ts'
import { event, headOf, runId } from './support/followed.ts'

const step = {
  from: 0,
  through: 1,
  path: ['queued', 'context', 'model'],
  outcome: null,
  effects: [{ kind: 'context.compact', id: `${runId}.1` }],
  retries: [],
  timers: [],
  clearTimers: [],
}

const input = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'hello' }] }]
const created = {
  agent: 'a',
  definitionHash: 'h',
  machine: 'run',
  machineVersion: 2,
  input,
  metadata: {},
}
const log: readonly StoredEvent[] = [
  event(1, { type: 'run.created', payload: created }),
  event(2, { type: 'run.transitioned', payload: step }),
  event(3, { type: 'context.summarised', payload: { words: 9 } }),
  { ...event(4, { type: 'model.completed', payload: { answer: 'x' } }), version: 2 },
  event(5, {
    type: 'run.transitioned',
    payload: { ...step, from: 1, through: 4, path: ['model', 'completed'], outcome: 'completed' },
  }),
]

async function typesShown(raw: boolean): Promise<readonly string[]> {
  const frames = followRun(
    {
      read: {
        runEvents: async (_tenant, _run, { after }) => log.filter(({ seq }) => seq > after),
        run: async () => headOf(log, 'ended'),
      },
      wakes: { on: () => () => {} },
      followText: () => () => {},
      followProgress: () => () => {},
      shown: () => {},
      log: { debug() {}, info() {}, warn() {}, error() {} },
      stopping: new AbortController().signal,
      heartbeatMs: 10_000,
      pollMs: 1_000,
    },
    {
      tenantId: 'default',
      runId,
      after: 0,
      gone: new AbortController().signal,
      ...(raw ? { raw } : {}),
    },
  )
  const types: string[] = []
  for await (const frame of frames) if (frame.kind === 'event') types.push(frame.event.type)
  return types
}

it('its own stream shows every event as it is', async () => {
  expect(await typesShown(true)).toEqual(log.map(({ type }) => type))
})

it('who folds the events gets what this build knows, each in its place', async () => {
  expect(await typesShown(false)).toEqual([
    'run.created',
    'run.transitioned',
    'newer.context.summarised',
    'newer.model.completed',
    'run.transitioned',
  ])
})

it('the state of its thread has what is known of it', async () => {
  const read = { threadEvents: async () => log }
  const events = await threadEvents(read, { tenantId: 'default', threadId: 't' })
  const steps = foldSteps(events, stepHeads(events))
  expect(steps.at(-1)?.messages).toMatchObject([{ content: 'hello' }])
})
