/** Starts both ends and a bus where no store answers, stops them, and has to end by itself. Argument: backend. */
import {
  type BullBackend,
  createBullDispatcher,
  createBullHintSource,
  createRedisWakeBus,
} from '@signalbox/bullmq'
import { until } from './eventually.ts'
import { recordingLog } from './recording-log.ts'

const backend: BullBackend = JSON.parse(process.argv[2] ?? '')
const log = recordingLog()
const dispatcher = createBullDispatcher(backend, { log })
const source = createBullHintSource(backend, { log })
await source.start([{ queue: 'a', concurrency: 1 }], () => Promise.resolve('done'))
await dispatcher.dispatch([{ effectId: 'lost.0', queue: 'a', dispatch: 1 }])
// The dispatch may have been given up before the store had refused.
await until(() => [dispatcher, source].every((end) => end.health().status === 'down'))
const seen = [dispatcher.health(), source.health()]
if (backend.kind === 'redis') {
  const bus = await createRedisWakeBus({ url: backend.url, log })
  bus.subscribe('run', () => {})
  bus.publish('run', ['r1'])
  await until(() => bus.health().status === 'down')
  seen.push(bus.health())
  await bus.close()
}
await dispatcher.close()
await source.stop(0)
process.send?.(seen, () => process.disconnect?.())
