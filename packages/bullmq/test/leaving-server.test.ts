/** No connection is ever without a listener for its errors: a server that goes away as it accepts one would end the process. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type LeavingServer,
  startLeavingServer,
} from '../../postgres/test/support/leaving-server.ts'
import { QueueConnection } from '../src/postgres-connection.ts'
import { prepare } from '../src/prepare.ts'

let server: LeavingServer
const uncaught: unknown[] = []
const note = (error: unknown): void => void uncaught.push(error)
let others: NodeJS.UncaughtExceptionListener[] = []

// The test runner would report it as a failure of no test in particular.
beforeEach(async () => {
  others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', note)
  uncaught.length = 0
  server = await startLeavingServer()
})

afterEach(async () => {
  await server.close()
  process.removeAllListeners('uncaughtException')
  for (const listener of others) process.on('uncaughtException', listener)
})

it.each<[string, (connection: QueueConnection) => Promise<unknown>]>([
  ['that listens', (connection) => connection.getListenClient()],
  ['of the pool', (connection) => connection.pool.query('select 1')],
  ['that is checked out', (connection) => connection.pool.connect()],
])('a connection of a queue %s', async (_, use) => {
  const connection = new QueueConnection({ kind: 'postgres', url: server.url })
  await use(connection).catch(() => null)
  await turn()
  connection.sever()
  await turn()
  expect(server.connections()).toBeGreaterThan(0)
  expect(uncaught).toEqual([])
})

it('the connection that prepares the queues', async () => {
  await expect(prepare({ kind: 'postgres', url: server.url })).rejects.toThrow(/./)
  await turn()
  expect(uncaught).toEqual([])
})
