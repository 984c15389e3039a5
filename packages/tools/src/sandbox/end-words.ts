/** The reason why a command ended, in words for the model, and the way to avoid it. */
import type { SandboxEnd } from '@signalbox/core'
import type { SandboxLimits } from './sandbox.ts'

/** Null: it exited by itself. */
export function endWords(
  ended: SandboxEnd,
  {
    limits,
    timeoutMs,
    reason,
  }: { readonly limits: SandboxLimits; readonly timeoutMs: number; readonly reason?: string },
): string | null {
  const kept = 'No file was changed.'
  if (reason !== undefined && ended !== 'exited') return `Stopped: ${reason}. ${kept}`
  switch (ended) {
    case 'exited':
      return null
    case 'timeout':
      return `Stopped after ${timeoutMs / 1000} s. ${kept} Run long work in parts.`
    case 'output':
      return `Stopped: it wrote more than ${bytesText(limits.outputBytes)}. ${kept} Write to a file, and look at parts of it.`
    case 'memory':
      return `Stopped: it used more than ${bytesText(limits.memoryBytes)} of memory. ${kept} Work on less at a time.`
    case 'cpu':
      return `Stopped: it used ${limits.cpuMs / 1000} s of processor time. ${kept} Run long work in parts.`
    case 'cancelled':
      return `Stopped by a cancel. ${kept}`
    case 'lost':
      return `The sandbox failed. ${kept}`
  }
}

const bytesText = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MiB` : `${bytes} bytes`
