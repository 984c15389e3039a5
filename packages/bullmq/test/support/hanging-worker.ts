/** A worker process that reports each effect it takes and never finishes it. Arguments: backend as JSON, queue. */
import { type BullBackend, createBullHintSource } from '@signalbox/bullmq'
import { recordingLog } from './recording-log.ts'

// A test that failed leaves nobody behind.
process.once('disconnect', () => process.exit())

const [json = '', queue = ''] = process.argv.slice(2)
const backend: BullBackend = JSON.parse(json)
const source = createBullHintSource(backend, { log: recordingLog() })
await source.start([{ queue, concurrency: 4 }], (effectId) => {
  process.send?.(effectId)
  return new Promise(() => {})
})
process.send?.('ready')
