/** No connection is ever without a listener for its errors: a server that goes away as it accepts one would end the process. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type LeavingServer,
  noteUncaught,
  startLeavingServer,
  type Uncaught,
} from '../../postgres/test/support/leaving-server.ts'
import { QueueConnection } from '../src/postgres-connection.ts'
import { prepare } from '../src/prepare.ts'

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
  expect(uncaught.errors).toEqual([])
})

it('the connection that prepares the queues', async () => {
  await expect(prepare({ kind: 'postgres', url: server.url })).rejects.toThrow(/./)
  await turn()
  expect(uncaught.errors).toEqual([])
})
