import { createBullDispatcher, createBullHintSource, type RedisBackend } from '@signalbox/bullmq'
import { afterAll, beforeAll, describe } from 'vitest'
import { dispatchContract } from '@signalbox/testing/contract'
import { recordingLog } from './support/recording-log.ts'
import { redisMissing, RedisServer, skipRedis } from './support/redis-server.ts'
import { spawnHangingWorker } from './support/spawn-hanging-worker.ts'

describe.skipIf(skipRedis)(`redis${redisMissing}`, () => {
  let server: RedisServer
  let made = 0
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server?.close())

  dispatchContract('bullmq on redis', async () => {
    made += 1
    const backend: RedisBackend = { kind: 'redis', url: server.url, prefix: `contract${made}` }
    const log = recordingLog()
    const dispatcher = createBullDispatcher(backend, { log })
    return {
      dispatcher,
      source: createBullHintSource(backend, { log }),
      flush: async () => void (await server.command('FLUSHALL')),
      kill: async () => {
        await server.kill()
        await server.start()
      },
      hangingWorker: (queue) => spawnHangingWorker(backend, queue),
      close: () => dispatcher.close(),
    }
  })
})
