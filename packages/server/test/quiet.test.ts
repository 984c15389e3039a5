/**
 * A server with nothing to do, with all roles, its queue in Postgres and real sockets: it asks the database next to nothing.
 * Would catch: a poller that takes "nothing" for "now", one more poller than there need be.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { call } from './support/http.ts'
import { placeReadyCluster } from './support/ready-cluster.ts'
import { startTest } from './support/signalbox.ts'

const seconds = 10

it('asks the database less than twenty things a second, and its reconciler turns', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-quiet-'))
  await chmod(dir, 0o755)
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await placeReadyCluster(dir)
  const server = await startEmbeddedPostgres({ dataDir: dir, port: await freePort() })
  onTestFinished(() => server.stop())
  const agents = { clerk: { model: { provider: 'scripted' as const, model: 'clerk' } } }
  const scripts = { clerk: () => ({ text: 'Done.' }) }
  const box = await startTest({ agents, scripts }, { env: { DATABASE_URL: server.url } })
  onTestFinished(() => box.stop())
  const client = new Client(server.url)
  await client.connect()
  onTestFinished(() => client.end())
  const asked = async (): Promise<number> => {
    const sql = 'select sum(xact_commit + xact_rollback)::int as n from pg_stat_database'
    return (await client.query<{ n: number }>(sql)).rows[0]?.n ?? NaN
  }
  // What a start asks is over, and has come to the statistics.
  await setTimeout(5_000)
  const before = await asked()
  await setTimeout(seconds * 1000)
  expect((await asked()) - before).toBeLessThan(20 * seconds)
  const { body } = await call(box.api, 'GET', '/metrics')
  const age = /^signalbox_reconciler_last_turn_seconds ([\d.e-]+)$/m.exec(String(body))?.[1]
  expect(Number(age)).toBeLessThan(5)
})
