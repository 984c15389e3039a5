import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BullBackend } from '@signalbox/bullmq'
import type { HangingWorker } from '@signalbox/testing/contract'

const file = fileURLToPath(new URL('hanging-worker.ts', import.meta.url))

/** Resolves when the process takes hints. */
export async function spawnHangingWorker(
  backend: BullBackend,
  queue: string,
): Promise<HangingWorker> {
  const child = fork(file, [JSON.stringify(backend), queue], { stdio: 'ignore' })
  const holds: string[] = []
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message) => {
      if (message === 'ready') resolve()
      else if (typeof message === 'string') holds.push(message)
    })
    child.on('exit', (code) => reject(new Error(`the worker process ended with ${code}`)))
  })
  await ready
  return {
    holds,
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
