import type { RetryRule } from './options.ts'

/** Waits. Rejects with the reason of the signal, at once, when it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** How long to wait after so many tries: doubled each time, and anywhere in the upper half, so that clients spread. */
export function backoffMs(tries: number, rule: Pick<RetryRule, 'pauseMs' | 'pauseMsMax'>): number {
  const most = Math.min(rule.pauseMsMax, rule.pauseMs * 2 ** Math.min(tries - 1, 30))
  return most * (0.5 + Math.random() / 2)
}
