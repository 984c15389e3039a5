/**
 * How long threads live, with LangGraph's own clients over a real server. Would catch: a thread that is deleted while somebody
 * waits for it, one that is deleted without a word in the log, one that is never deleted, a ttl that nobody can take away.
 */
import type { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, eventually, fed } from '../../packages/server/test/support/http.ts'
import { type KeepingScene, openKeepingScene } from './support/keeping-scene.ts'
import { versions } from './support/resources-scene.ts'

let scene: KeepingScene

beforeAll(async () => {
  scene = await openKeepingScene()
})
afterAll(() => scene?.close())

const said = { input: { messages: [{ role: 'user', content: 'Note milk.' }] } }

/** The thread as if nobody had used it for two hours. */
async function aged(threadId: string): Promise<void> {
  const back = "now() - interval '2 hours'"
  await scene.sql(
    `update signalbox.thread set ttl_since = ${back}, ttl_look_at = ${back}
    where thread_id = $1 and ttl_minutes is not null`,
    [threadId],
  )
  await scene.sql(`update signalbox.run set updated_at = ${back} where thread_id = $1`, [threadId])
}

const isGone = (client: Client, threadId: string): Promise<true> =>
  eventually(() =>
    client.threads.get(threadId).then(
      () => undefined,
      (error: unknown) => {
        expect(error).toMatchObject({ status: 404 })
        return true as const
      },
    ),
  )

/** The thread, with what a ttl adds to it. */
const shown = async (client: Client, threadId: string): Promise<object> =>
  client.threads.get(threadId)

interface Logged {
  readonly type: string
  readonly actor: string
}

const eventsOf = (
  threadId: string,
  enough: (events: readonly Logged[]) => boolean,
): Promise<readonly Logged[]> => fed(scene.box.api, `thread_id=${threadId}&limit=100`, enough)

/** All that the log has of a thread whose only run has ended. */
async function wholeLogOf(client: Client, threadId: string): Promise<readonly Logged[]> {
  const [run] = await client.runs.list(threadId)
  const { body } = await call(scene.box.api, 'GET', `/runs/${run?.run_id}`)
  return eventsOf(threadId, ({ length }) => length >= body.seq)
}

describe.each(versions)('how long threads live, with client %s', (_version, name) => {
  let client: Client

  beforeAll(async () => {
    client = await scene.clientOf(name)
  })

  it('is said with a create and a change, shown, and taken away', async () => {
    const { threads } = client
    const made = await threads.create({ metadata: { of: name }, ttl: 60 })
    const ttl = { strategy: 'delete', ttl_minutes: 60, expires_at: expect.any(String) }
    expect(made).toMatchObject({ ttl })
    const { thread_id: threadId } = made
    const again = await threads.create({ threadId, ifExists: 'do_nothing', ttl: 5 })
    expect(again).toEqual(made)
    expect((await threads.search({ ids: [threadId] }))[0]).toMatchObject({ ttl })
    expect(await threads.update(threadId, { ttl: 0.5 })).toMatchObject({
      metadata: { of: name },
      ttl: { ttl_minutes: 0.5 },
    })
    await threads.update(threadId, { ttl: { ttl: 7, strategy: 'delete' } })
    await threads.patchState(threadId, { more: 1 })
    expect(await shown(client, threadId)).toMatchObject({
      metadata: { of: name, more: 1 },
      ttl: { ttl_minutes: 7 },
    })
    const body = { ttl: null }
    const bare = await call(scene.box.api, 'PATCH', `/threads/${threadId}`, { body })
    expect(bare.body).not.toHaveProperty('ttl')
    expect(await shown(client, threadId)).not.toHaveProperty('ttl')
    const number = { body: { ttl: 3 } }
    const changed = await call(scene.box.api, 'PATCH', `/threads/${threadId}`, number)
    expect(changed.body).toMatchObject({ ttl: { ttl_minutes: 3 } })
  })

  it('ends with their deletion when nobody uses them, and not while a run waits for a human', async () => {
    const { threads, runs } = client
    const threadOf = async (agent: string, ttl?: number) => {
      const { thread_id } = await threads.create(ttl === undefined ? {} : { ttl })
      await runs.wait(thread_id, agent, said)
      return thread_id
    }
    const [old, young, waiting, kept] = [
      await threadOf('clerk', 60),
      await threadOf('clerk', 180),
      await threadOf('asker', 60),
      await threadOf('clerk'),
    ]
    const cron = await client.crons.createForThread(old, 'clerk', {
      ...said,
      schedule: '0 0 1 1 *',
    })
    const { thread_id: empty } = await threads.create({ ttl: 60 })
    const log = await wholeLogOf(client, old)
    for (const threadId of [young, waiting, kept, empty, old]) await aged(threadId)
    // It became due last: when it is gone, the others were looked at.
    await isGone(client, old)
    await isGone(client, empty)
    for (const threadId of [young, waiting, kept])
      expect(await threads.get(threadId)).toMatchObject({ thread_id: threadId })
    expect(await threads.get(waiting)).toMatchObject({ status: 'interrupted' })
    const after = await eventsOf(old, (events) =>
      events.some(({ type }) => type === 'thread.hidden'),
    )
    expect(after.slice(0, log.length)).toEqual(log)
    expect(after.slice(log.length)).toMatchObject([{ type: 'thread.hidden', actor: 'ttl' }])
    await expect(threads.delete(old)).rejects.toMatchObject({ status: 404 })
    const { cron_id: cronId } = Object.assign({ cron_id: '' }, cron)
    expect(await client.crons.search({ threadId: old })).toEqual([])
    const fetched = await call(scene.box.api, 'GET', `/runs/crons/${cronId}`)
    expect(fetched.status).toBe(404)
  })
})

it.each([
  [{ ttl: 0 }, 'invalid_request', 'ttl.ttl'],
  [-1, 'invalid_request', 'ttl'],
  [{ ttl: 6_000_000 }, 'invalid_request', 'ttl.ttl'],
  [{ strategy: 'delete' }, 'invalid_request', 'ttl.ttl'],
  ['60', 'invalid_request', 'ttl'],
  [{ ttl: 60, strategy: 'keep_latest' }, 'not_available', 'ttl.strategy'],
])('refuses %j, and says what would be right', async (ttl, code, field) => {
  const refused = await call(scene.box.api, 'POST', '/threads', { body: { ttl } })
  expect(refused).toMatchObject({ status: 422, body: { code, field } })
  const right = code === 'not_available' ? /use "delete"/ : /more than 0 and at most 5256000/
  expect(refused.body.detail).toMatch(right)
})
