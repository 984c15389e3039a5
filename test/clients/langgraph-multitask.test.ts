/**
 * What a new run does to those of its thread, through LangGraph's own clients. Would catch: a second run beside the first, a
 * refusal that creates, a run that is superseded and goes on, what was rolled back in a prompt, a delay that is none.
 */
import type { Client, Message } from 'langgraph-sdk-1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { openScene, type Scene, versions } from './support/resources-scene.ts'

/** Asks until it is so. */
const until = (check: () => Promise<boolean>) =>
  eventually(async () => ((await check()) ? true : undefined))

let scene: Scene

beforeAll(async () => {
  scene = await openScene()
})
afterAll(() => scene?.close())

const stateOf = async (runId: string) => {
  const { body } = await call(scene.box.api, 'GET', `/runs/${runId}`)
  const run: { state: string; outcome: string | null; seq: number } = body
  return run
}
const said = (content: string) => ({ input: { messages: [{ role: 'user', content }] } })

// Two are enough: what a new run does is a matter of the server.
describe.each(versions.slice(0, 2))('client %s', (_version, name) => {
  let client: Client
  beforeAll(async () => {
    client = await scene.clientOf(name)
  })

  /** A thread on which a run holds a tool. */
  const busy = async () => {
    const threadId = crypto.randomUUID()
    const first = await client.runs.create(threadId, 'holder', said('Hold.'))
    await until(async () => (await stateOf(first.run_id)).state === 'tools')
    return { threadId, first: first.run_id }
  }

  const users = async (threadId: string): Promise<unknown[]> => {
    const { values } = await client.threads.getState<{ messages: Message[] }>(threadId)
    return values.messages.filter(({ type }) => type === 'human').map(({ content }) => content)
  }

  it('enqueue waits, and runs in order', async () => {
    const { threadId, first } = await busy()
    const second = await client.runs.create(threadId, 'clerk', {
      ...said('Second.'),
      multitaskStrategy: 'enqueue',
    })
    expect(second).toMatchObject({ status: 'pending', multitask_strategy: 'enqueue' })
    expect(await stateOf(first)).toMatchObject({ state: 'tools' })
    letGo(first)
    await client.runs.join(threadId, second.run_id)
    expect(await stateOf(first)).toMatchObject({ outcome: 'completed' })
    expect(await users(threadId)).toEqual(['Hold.', 'Second.'])
  })

  it('reject is refused with 422 while a run is under way, and creates nothing', async () => {
    const { threadId, first } = await busy()
    const refused = client.runs.create(threadId, 'clerk', {
      ...said('No.'),
      multitaskStrategy: 'reject',
    })
    await expect(refused).rejects.toMatchObject({ status: 422 })
    expect(await client.runs.list(threadId)).toHaveLength(1)
    letGo(first)
    await client.runs.join(threadId, first)
    await client.runs.wait(threadId, 'clerk', { ...said('Now.'), multitaskStrategy: 'reject' })
    expect(await users(threadId)).toEqual(['Hold.', 'Now.'])
  })

  it('interrupt ends what is under way and what waits, and keeps what they said', async () => {
    const { threadId, first } = await busy()
    const waiting = await client.runs.create(threadId, 'clerk', said('Waits.'))
    const last = await client.runs.create(threadId, 'clerk', {
      ...said('Instead.'),
      multitaskStrategy: 'interrupt',
    })
    letGo(first)
    await client.runs.join(threadId, last.run_id)
    expect(await stateOf(first)).toMatchObject({ outcome: 'cancelled' })
    expect(await stateOf(waiting.run_id)).toMatchObject({ outcome: 'cancelled' })
    expect(await stateOf(last.run_id)).toMatchObject({ outcome: 'completed' })
    // What was never admitted has said nothing.
    expect(await users(threadId)).toEqual(['Hold.', 'Instead.'])
  })

  it('rollback hides what was under way, and the log still has it', async () => {
    const { threadId, first } = await busy()
    const last = await client.runs.create(threadId, 'clerk', {
      ...said('Instead.'),
      multitaskStrategy: 'rollback',
    })
    letGo(first)
    await client.runs.join(threadId, last.run_id)
    expect(await users(threadId)).toEqual(['Instead.'])
    expect((await client.runs.list(threadId)).map((run) => run.run_id)).toEqual([last.run_id])
    const gone = await stateOf(first)
    expect(gone).toMatchObject({ outcome: 'rolled_back' })
    const log = await call(scene.box.api, 'GET', `/threads/${threadId}/runs/${first}/events`)
    const events: readonly { type: string; payload: object }[] = log.body.events
    expect(events).toHaveLength(gone.seq)
    const asked = events.find(({ type }) => type === 'cancel.requested')
    expect(asked?.payload).toEqual({ action: 'rollback', reason: 'superseded', by: last.run_id })
  })

  it('a cancel with rollback leaves the thread as it was before the run', async () => {
    const threadId = crypto.randomUUID()
    await client.runs.wait(threadId, 'clerk', said('First.'))
    const before = await client.threads.getState(threadId)
    const run = await client.runs.create(threadId, 'holder', said('Hold.'))
    await until(async () => (await stateOf(run.run_id)).state === 'tools')
    await client.runs.cancel(threadId, run.run_id, false, 'rollback')
    letGo(run.run_id)
    await client.runs.cancel(threadId, run.run_id, true, 'rollback')
    expect(await stateOf(run.run_id)).toMatchObject({ outcome: 'rolled_back' })
    expect(await client.threads.getState(threadId)).toEqual(before)
  })

  it('after_seconds puts a run off, and nobody waits behind it', async () => {
    const threadId = crypto.randomUUID()
    const late = await client.runs.create(threadId, 'clerk', {
      ...said('Later.'),
      afterSeconds: 3600,
      multitaskStrategy: 'interrupt',
    })
    expect(late).toMatchObject({ status: 'pending' })
    const soon = await client.runs.create(threadId, 'clerk', {
      ...said('Sooner.'),
      multitaskStrategy: 'reject',
    })
    await client.runs.join(threadId, soon.run_id)
    expect(await stateOf(soon.run_id)).toMatchObject({ outcome: 'completed' })
    expect(await stateOf(late.run_id)).toMatchObject({ state: 'queued' })
    const due = await client.runs.create(threadId, 'clerk', { ...said('Now.'), afterSeconds: 1 })
    await client.runs.join(threadId, due.run_id)
    expect(await users(threadId)).toEqual(['Sooner.', 'Now.'])
  })
})
