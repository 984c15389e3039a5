import {
  createBullDispatcher,
  createBullHintSource,
  type PostgresBackend,
  prepare,
} from '@signalbox/bullmq'
import { afterAll, beforeAll } from 'vitest'
import { dispatchContract } from '@signalbox/testing/contract'
import { PostgresServer } from './support/postgres-server.ts'
import { recordingLog } from './support/recording-log.ts'
import { spawnHangingWorker } from './support/spawn-hanging-worker.ts'

let server: PostgresServer
let made = 0
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server?.close())

dispatchContract('bullmq on postgres', async () => {
  made += 1
  const schema = `contract${made}`
  const backend: PostgresBackend = { kind: 'postgres', url: server.url, schema }
  await prepare(backend)
  const log = recordingLog()
  const dispatcher = createBullDispatcher(backend, { log })
  return {
    dispatcher,
    source: createBullHintSource(backend, { log }),
    flush: async () => void (await server.query(`delete from ${schema}.job`)),
    kill: () => server.terminateAll(),
    hangingWorker: (queue) => spawnHangingWorker(backend, queue),
    close: () => dispatcher.close(),
  }
})
