/** Waiting: how long to back off, and for whom not to wait forever. */
import { setTimeout as sleep } from 'node:timers/promises'

const firstMs = 100
const lastMs = 2_000

/** Milliseconds before try number `failures` (from 1): doubles up to two seconds. */
export function backoffMs(failures: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 10), lastMs)
}

/** Sleeps, or returns early when the signal aborts. Never rejects. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})

/** Settles when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Whether the promise settles within the time. Never rejects; the promise goes on. */
export function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return orTimeout(Promise.allSettled([promise]), ms).then(
    () => true,
    () => false,
  )
}

/** A time ran out. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** The promise's answer, or a rejection with `NoAnswer` after the time. The promise goes on. */
export function orTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoAnswer(`no answer within ${ms} ms`)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
