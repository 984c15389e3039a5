/** The in-memory hints keep the same contracts as the adapters that cross processes. */
import { createMemoryQueue, createMemoryWakeBus } from '@signalbox/testing/memory'
import { dispatchContract, wakeBusContract } from '@signalbox/testing/contract'

dispatchContract(
  'memory',
  async () => {
    const { dispatcher, source } = createMemoryQueue()
    return { dispatcher, source, close: () => dispatcher.close() }
  },
  ['flush', 'kill', 'hangingWorker'],
)

// One bus stands for both processes: there is nothing between them to lose.
wakeBusContract('memory', async () => {
  const bus = createMemoryWakeBus()
  return { a: bus, b: bus, close: () => bus.close() }
})
