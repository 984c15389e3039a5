/** The body of an answer, bounded while it arrives. */
import { ambiguousKeyIn } from '@signalbox/core'

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
