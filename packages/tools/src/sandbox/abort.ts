/** Waiting that a cancel ends. */

/** The outcome of the promise, or a rejection with the reason of the signal, whichever is first. Leaves no listener. */
export async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController()
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true, signal: over.signal })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    over.abort()
  }
}
