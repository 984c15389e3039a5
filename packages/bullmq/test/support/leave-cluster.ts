/** A bus on a cluster, closed when the parent says so. The process has to end by itself. Argument: the address. */
import { once } from 'node:events'
import { createRedisWakeBus } from '@signalbox/bullmq'
import { recordingLog } from './recording-log.ts'

const url: string = JSON.parse(process.argv[2] ?? '')
const bus = await createRedisWakeBus({ url, log: recordingLog() })
bus.subscribe('run', () => {})
process.send?.('open')
await once(process, 'message')
await bus.close()
process.disconnect?.()
