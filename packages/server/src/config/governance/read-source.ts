/** Passports and policies from files and addresses, read once, at start, and never more of them than fits. */
import { open } from 'node:fs/promises'
import { messageOf } from '@signalbox/engine'
import { ConfigError } from '../config-error.ts'
import { noteText } from '../edition.ts'
import { fail } from '../fail.ts'

/** A passport, or a Cedar policy or schema. */
const bytesMax = 256 * 1024
const addressMsMax = 5_000

/** A file as text. @throws ConfigError */
export async function readFileText(path: string, field: string): Promise<string> {
  try {
    const file = await open(path)
    try {
      const text = await take(file.createReadStream({ end: bytesMax, autoClose: false }), field)
      return noteText(path, text)
    } finally {
      await file.close()
    }
  } catch (error) {
    return unreadable(field, path, error)
  }
}

/** What stands at an address as text. Redirects are not followed. @throws ConfigError */
export async function readAddressText(address: string, field: string): Promise<string> {
  const { origin, pathname } = new URL(address)
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(addressMsMax),
    })
    if (!response.ok || response.body === null) throw new Error(`it answers ${response.status}`)
    return await take(response.body, field)
  } catch (error) {
    // The query may hold a key.
    return unreadable(field, origin + pathname, error)
  }
}

async function take(chunks: AsyncIterable<Uint8Array>, field: string): Promise<string> {
  const taken: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) fail('config_unreadable', field, `has more than ${bytesMax} bytes`)
    taken.push(chunk)
  }
  // Bytes that are no text would become signs that nobody wrote.
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(taken))
}

function unreadable(field: string, what: string, error: unknown): never {
  if (error instanceof ConfigError) throw error
  const message = `${what} cannot be read: ${messageOf(error)}`
  return fail('config_unreadable', field, { message, cause: error })
}
