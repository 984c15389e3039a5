/** A server that goes away in the moment in which it accepts a connection ends no process, whoever opens the connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { knock } from '../../embedded/src/knock.ts'
import { describeSchema } from '../src/migrate/describe-schema.ts'
import { migrate } from '../src/migrate/migrate.ts'
import { ensurePartitions } from '../src/migrate/partitions.ts'
import { restoreFeed } from '../src/migrate/restored.ts'
import { openPool } from '../src/pool.ts'
import { Link } from '../src/wake/link.ts'
import {
  type LeavingServer,
  noteUncaught,
  startLeavingServer,
  type Uncaught,
} from './support/leaving-server.ts'

let server: LeavingServer
let uncaught: Uncaught

beforeEach(async () => {
  uncaught = noteUncaught()
  server = await startLeavingServer()
})

afterEach(async () => {
  await server.close()
  uncaught.stop()
})

const log = { debug() {}, info() {}, warn() {}, error() {} }

async function listen(url: string): Promise<void> {
  const link = new Link({
    url,
    name: 'test',
    log,
    prepare: async (client) => void (await client.query('listen x')),
  })
  try {
    await link.open()
  } finally {
    await link.close()
  }
}

async function askPool(url: string): Promise<void> {
  const pool = openPool(url, { max: 1, name: 'test' })
  try {
    await pool.query('select 1')
  } finally {
    await pool.end()
  }
}

it.each<[string, (url: string) => Promise<unknown>]>([
  ['a pool', askPool],
  ['the wake bus', listen],
  ['the migration', (url) => migrate(url)],
  ['the repair of a restored feed', restoreFeed],
  ['the upkeep of partitions', ensurePartitions],
  ['the description of the schema', describeSchema],
  [
    'the question whether the embedded server is there',
    (url) => knock({ port: Number(new URL(url).port), password: 'x', cluster: '/' }, 0),
  ],
])('%s', async (_, open) => {
  await open(server.url).catch(() => null)
  await sleep(10)
  expect(server.connections()).toBeGreaterThan(0)
  expect(uncaught.errors).toEqual([])
})
