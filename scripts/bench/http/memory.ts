import { setTimeout } from 'node:timers/promises'

/** Resident memory of this process, once what can be collected is. */
export async function residentBytes(): Promise<number> {
  for (let n = 0; n < 3; n += 1) {
    globalThis.gc?.()
    await setTimeout(100)
  }
  return process.memoryUsage.rss()
}
