/**
 * A passport at an address, asked for with a condition, so that an unchanged one costs no body. 404 and 410 say that
 * there is no passport; any other failure says nothing about it.
 */
import { bounds } from '../bounds.ts'
import { reach, readText } from '../http/body.ts'
import { type Look, passportIn } from './look.ts'

/** Looks at an address. Rejects when it cannot be asked. */
export function addressLook(address: string, fetch: typeof globalThis.fetch): Look {
  let known: Record<string, string> = {}
  return async (signal) => {
    const headers = { accept: 'application/json', 'cache-control': 'no-cache', ...known }
    const response = await reach(fetch, address, { headers, signal })
    if (response.status === 304 && Object.keys(known).length > 0) return 'unchanged'
    known = {}
    if (response.status === 404 || response.status === 410) {
      await response.body?.cancel()
      return { how: 'missing', message: 'There is no passport at its address.' }
    }
    if (!response.ok) throw new Error(`The passport's address answered ${response.status}.`)
    const found = passportIn(await readText(response, bounds.passportBytesMax))
    known = validators(response)
    return found
  }
}

function validators({ headers }: Response): Record<string, string> {
  const etag = headers.get('etag')
  const modified = headers.get('last-modified')
  // Last-Modified has seconds: a passport suspended within the second it was read in would stay unchanged.
  if (etag !== null) return { 'if-none-match': etag }
  return modified === null ? {} : { 'if-modified-since': modified }
}
