/** Clients that are closed while they are between two connects. Would catch: one that waits for ever for nodes that it has not. */
import { describe, expect, it } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { ConnectionWatch } from '../src/health.ts'
import { redisClient } from '../src/redis-client.ts'
import { until } from './support/eventually.ts'
import { recordingLog } from './support/recording-log.ts'

const single = (port: number): string => `redis://127.0.0.1:${port}`
const cluster = (port: number): string => `redis://127.0.0.1:${port}?cluster=true`

// A single Redis that is away refuses to be quit, and is disconnected by whoever asked for it.
const ways = [
  ['a single Redis', 'disconnect', single],
  ['a cluster', 'disconnect', cluster],
  ['a cluster', 'quit', cluster],
] as const

describe('a client of Redis that is away', () => {
  it.each(ways)('of %s ends by %s', async (_name, leave, urlOf) => {
    const watch = new ConnectionWatch('test', recordingLog())
    const client = redisClient(urlOf(await freePort()), 'listener', watch)
    await until(() => client.status === 'reconnecting')
    client[leave]()?.catch(() => {})
    await until(() => client.status === 'end')
    expect(client.status).toBe('end')
  })
})
