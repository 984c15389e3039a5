/** Asks an address, and reads the body of an answer, bounded while it arrives. */
import { ambiguousKeyIn } from '@signalbox/core'

/**
 * `fetch`, with an error that says why: its own is "fetch failed", whatever happened. Follows no redirect. Rejects when nobody
 * answers; the message holds neither address nor headers.
 */
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

/** Reads a body as UTF-8. Throws when it is longer than `bytesMax` bytes, as soon as it is, or is not UTF-8. */
export async function readText(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new Error(`The answer is larger than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}

/**
 * JSON without the parser's own words in the error: they quote the text, and the text may quote our request. Of a decision that
 * stands twice, another reader on the way may have taken the other one.
 */
export function parseJson(text: string): unknown {
  const value = parsed(text)
  if (ambiguousKeyIn(text) === null) return value
  throw new Error('The answer can be read in two ways: a key stands twice, or is "__proto__".')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('The answer is not JSON.')
  }
}
