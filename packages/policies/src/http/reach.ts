/** `fetch`, with an error that says why: its own is "fetch failed", whatever happened. */

/** Asks an address, follows no redirect. Rejects when nobody answers; the message holds neither address nor headers. */
export async function reach(
  fetch: typeof globalThis.fetch,
  address: string,
  init: RequestInit,
): Promise<Response> {
  try {
    // A redirect would carry tokens and arguments to somebody whom nobody configured.
    return await fetch(address, { ...init, redirect: 'manual' })
  } catch (cause) {
    throw new Error(`The server cannot be reached: ${whyOf(cause)}.`, { cause })
  }
}

function whyOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  // Where several addresses were tried, the cause has a code and no message.
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return error instanceof Error ? error.name : 'no reason given'
}
