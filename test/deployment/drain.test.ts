/**
 * A worker that is scaled in, with the settings of the template: real processes, one `once` call at work and one that waits. Would
 * catch: a call that becomes unknown because its worker was told to go, one that a leaving worker still takes, a worker that passes for
 * dead or for ready while it drains.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { type Deployed, deployProject } from './support/deployed.ts'

const apiKey = 'operator-key-0123456789'
const headers = { authorization: `Bearer ${apiKey}` }

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const deployed: Deployed[] = []
afterEach(async () => {
  for (const each of deployed.splice(0)) await each.remove()
})

/** The shop, with a server of the other roles. */
async function openShop() {
  const place = await deployProject()
  deployed.push(place)
  const env = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.adminUrl,
    SIGNALBOX_API_KEY: apiKey,
  }
  const provided = { ...env, CLERK_MODEL_KEY: 'provider-key-0123456789' }
  const server = place.start(['serve', '--roles', 'api,orchestrator'], provided)
  const api = await server.url
  return {
    place,
    charge: async (): Promise<string> => {
      const body = { assistant_id: 'clerk', input: 'charge_card' }
      const created = await call(api, 'POST', '/runs', { body, headers })
      return created.body.run_id
    },
    join: (runId: string) => call(api, 'GET', `/runs/${runId}/join`, { headers }),
    events: (runId: string) => call(api, 'GET', `/runs/${runId}/events`, { headers }),
    unknown: () => call(api, 'GET', '/unknown', { headers }),
    queue: async () => {
      const { body } = await call(api, 'GET', '/queues', { headers })
      return body.find((each: { queue: string }) => each.queue === 'payments')
    },
    worker: (graceMs: number) =>
      place.start(['worker', '--queues', 'payments'], {
        ...env,
        SIGNALBOX_GRACE_MS: String(graceMs),
      }),
    charges: async (): Promise<readonly number[]> =>
      (await place.written('charges'))
        .split('\n')
        .filter(Boolean)
        .map((line) => Number(line.split(' ')[0])),
  }
}

describe('a worker that is told to go', () => {
  it('ends the call that it has, takes none that waits, and says what it is doing', async () => {
    const shop = await openShop()
    const first = shop.worker(36_000)
    const url = await first.url
    const runs = [await shop.charge()]
    await eventually(async () => (await shop.charges()).length === 1 || undefined)
    runs.push(await shop.charge())
    await eventually(async () => (await shop.queue())?.waiting === 1 || undefined)

    first.child.kill('SIGTERM')
    const leaving = await eventually(async () => {
      const answer = await call(url, 'GET', '/ready')
      return answer.status === 503 ? answer : undefined
    })
    expect(leaving.body).toMatchObject({ code: 'shutting_down' })
    expect((await call(url, 'GET', '/live')).status).toBe(200)
    expect((await call(url, 'GET', '/metrics', { headers })).body).toContain('signalbox_build_info')

    expect(first.child.exitCode).toBeNull()
    await shop.place.answerBank()
    expect(await first.ended).toBe(0)
    expect(await shop.charges()).toEqual([first.child.pid])
    const second = shop.worker(36_000)
    for (const run of runs)
      expect((await shop.join(run)).body).toMatchObject({ outcome: 'completed' })
    expect(await shop.charges()).toEqual([first.child.pid, second.child.pid])
    expect((await shop.unknown()).body).toEqual([])
  })

  it('leaves an unknown outcome only where its grace is shorter than the call', async () => {
    const shop = await openShop()
    const worker = shop.worker(100)
    await worker.url
    const run = await shop.charge()
    await eventually(async () => (await shop.charges()).length === 1 || undefined)
    worker.child.kill('SIGTERM')
    expect(await worker.ended).toBe(0)
    await eventually(async () => {
      const { body } = await shop.events(run)
      return body.events.some(({ type }: { type: string }) => type === 'tool.unknown') || undefined
    })
  })
})
