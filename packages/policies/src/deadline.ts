/**
 * Time limits that hold. A policy may ignore its signal, answer in dribbles or never: whoever waits for it does not.
 *
 * D1 Settles by the deadline or the abort, whatever the work does; what the work does later is ignored.
 * D2 An aborted signal always wins: it rejects with the signal's reason, never with what the work made of it.
 */

/** How long, until when, and what to say when it is over. `ms` is milliseconds. */
export interface Bound {
  readonly ms: number
  readonly signal: AbortSignal
  readonly late: string
}

/** Does the work within its bound. The signal it gets ends with the deadline and with the caller's. */
export async function within<T>(
  bound: Bound,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  bound.signal.throwIfAborted()
  const controller = new AbortController()
  const over = Promise.withResolvers<never>()
  const stop = (reason: unknown): void => {
    over.reject(reason)
    controller.abort(reason)
  }
  const abort = (): void => stop(bound.signal.reason)
  const timer = setTimeout(() => stop(new Error(bound.late)), bound.ms)
  bound.signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([begin(work, controller.signal), over.promise])
  } catch (error) {
    controller.abort()
    bound.signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    bound.signal.removeEventListener('abort', abort)
  }
}

/** Waits for what others wait for as well: the abort ends the waiting, not the work. */
export async function join<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const over = Promise.withResolvers<never>()
  const abort = (): void => over.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, over.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Within a promise, so that a synchronous throw is a rejection like any other. */
async function begin<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return work(signal)
}
