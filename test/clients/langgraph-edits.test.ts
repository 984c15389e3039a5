/**
 * Writing into states through LangGraph's own clients. Would catch: an edit that asks a model, one that is made twice, a rewind
 * that loses what was said, a checkpoint in the answer that is not the one that follows.
 */
import type { Client } from 'langgraph-sdk-1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { openScene, type Scene, versions } from './support/resources-scene.ts'
import { historyOf, idOf, said, twoRuns, users, type Values } from './support/travel.ts'

let scene: Scene

beforeAll(async () => {
  scene = await openScene()
})
afterAll(() => scene?.close())

const stateOf = async (runId: string) => {
  const { body } = await call(scene.box.api, 'GET', `/runs/${runId}`)
  const run: { state: string } = body
  return run
}

describe.each(versions)('states through client %s', (_version, name) => {
  let client: Client
  beforeAll(async () => {
    client = await scene.clientOf(name)
  })

  it('are written into, and answer the checkpoint that follows', async () => {
    const { threadId } = await twoRuns(client)
    const messages = [
      { role: 'user', content: 'Remember: C' },
      { type: 'ai', content: 'I do.', id: `m_${threadId}` },
    ]
    const written = await client.threads.updateState(threadId, {
      values: { messages },
      asNode: 'model',
    })
    const { checkpoint } = Object.assign({ checkpoint: { checkpoint_id: '' } }, written)
    const state = await client.threads.getState<Values>(threadId)
    expect(state.checkpoint.checkpoint_id).toBe(checkpoint.checkpoint_id)
    expect(users(state)).toEqual(['A', 'B', 'Remember: C'])
    expect(state).toMatchObject({ next: [], tasks: [], metadata: { source: 'update' } })
    expect(state.values.messages.at(-1)).toMatchObject({ type: 'ai', content: 'I do.' })
    const again = client.threads.updateState(threadId, { values: { messages } })
    await expect(again).rejects.toThrow(/was said already/)
    const [run] = await client.runs.list(threadId)
    const log = await call(scene.box.api, 'GET', `/runs/${run?.run_id}/events`)
    const types = log.body.events.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['run.created', 'run.admitted', 'run.transitioned'])
    await client.runs.wait(threadId, 'clerk', said('D'))
    expect(users(await client.threads.getState(threadId))).toEqual([...users(state), 'D'])
  })

  it('are gone back to, with other words or without', async () => {
    const { threadId, between } = await twoRuns(client)
    const checkpointId = idOf(between)
    await client.threads.updateState(threadId, { values: null, checkpointId })
    const rewound = await client.threads.getState<Values>(threadId)
    expect(rewound.values).toEqual(between.values)
    expect(rewound.parent_checkpoint?.checkpoint_id).toBe(checkpointId)
    await client.runs.wait(threadId, 'clerk', said('C'))
    expect(users(await client.threads.getState(threadId))).toEqual(['A', 'C'])
    const values = { messages: { role: 'user', content: 'D' } }
    await client.threads.updateState(threadId, { values, checkpointId })
    expect(users(await client.threads.getState(threadId))).toEqual(['A', 'D'])
    // What was gone back from is still to be had.
    const ends = (await historyOf(client, threadId)).filter(({ next }) => next.length === 0)
    expect(ends.map(users)).toEqual([['A', 'D'], ['A', 'C'], ['A'], ['A', 'B'], ['A']])
  })

  it('are refused what they cannot hold, and while a run is under way', async () => {
    const threadId = crypto.randomUUID()
    const first = await client.runs.create(threadId, 'holder', said('Hold.'))
    await eventually(async () => (await stateOf(first.run_id)).state === 'tools')
    const write = (values: object) => client.threads.updateState(threadId, { values })
    await expect(write({ messages: [{ role: 'user', content: 'X' }] })).rejects.toThrow(/422/)
    letGo(first.run_id)
    await client.runs.join(threadId, first.run_id)
    for (const [values, field] of [
      [{ messages: [{ type: 'tool', content: 'X' }] }, 'role'],
      [{ messages: [{ type: 'ai', content: 'X', tool_calls: [{}] }] }, 'tool_calls'],
      [{ notes: 'X' }, 'values'],
      [{}, 'values'],
    ] as const) {
      const body = { values }
      const refused = await call(scene.box.api, 'POST', `/threads/${threadId}/state`, { body })
      expect(refused.body).toMatchObject({ code: 'invalid_request' })
      expect(String(refused.body.field)).toContain(field)
    }
    const unknown = client.threads.updateState(crypto.randomUUID(), {
      values: { messages: [{ role: 'user', content: 'X' }] },
    })
    await expect(unknown).rejects.toThrow(/unknown_thread/)
  })

  it('are written once for an idempotency key', async () => {
    const { threadId } = await twoRuns(client)
    const write = (content: string) =>
      call(scene.box.api, 'POST', `/threads/${threadId}/state`, {
        body: { values: { messages: [{ role: 'user', content }] } },
        headers: { 'idempotency-key': `edit-${threadId}` },
      })
    const once = await write('C')
    expect((await write('C')).body).toEqual(once.body)
    expect((await write('D')).body).toMatchObject({ code: 'idempotency_conflict' })
    expect(users(await client.threads.getState(threadId))).toEqual(['A', 'B', 'C'])
  })
})
