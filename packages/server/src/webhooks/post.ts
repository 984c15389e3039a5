/**
 * One POST to an address that a stranger may have named.
 *
 * S1 What is connected to was checked: the addresses that the lookup of the connection itself found, all of them, so that no
 *    name can lead elsewhere between the check and the connection.
 * S2 Redirects are not followed, no proxy of the environment is used, no connection is kept.
 * S3 Nothing of the answer is kept but its status and how long it asks to wait.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Reach } from './reach.ts'

/** What is read of an answer before the connection is closed. Bytes. */
const answerBytesMax = 16 * 1024

/** What is sent. */
export interface Posting {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly reach: Reach
  readonly signal: AbortSignal
  /** Finds the addresses of a name. Default: the system's. */
  readonly lookup?: Lookup
}

export type Lookup = (
  host: string,
  found: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void

/** A status, and the headers that say when to come back. */
export interface Posted {
  readonly status: number
  readonly retryAfter: string | undefined
}

/** The name leads inward. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** Sends, and answers the status. Rejects when nobody answers, with `AddressRefused`, or with the reason of the signal. */
export function post(posting: Posting): Promise<Posted> {
  const { url, headers, body, signal } = posting
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request: ClientRequest = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.byteLength) },
      agent: false,
      lookup: checked(posting),
      signal,
    })
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    request.on('response', (response) => {
      resolve({
        status: response.statusCode ?? 0,
        retryAfter: response.headers['retry-after'],
      })
      drain(response)
    })
    request.end(body)
  })
}

/** Reads a little, so that who answers is not cut off in the middle of a short answer, and then closes. */
function drain(response: IncomingMessage): void {
  let bytes = 0
  // The status is known: what becomes of the rest is nobody's concern.
  response.on('error', () => {})
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength
    if (bytes > answerBytesMax) response.destroy()
  })
}

const allOf: Lookup = (host, found) => systemLookup(host, { all: true }, found)

/** The lookup of a connection: no address, unless it may be reached. One that may not condemns the name. */
const checked =
  ({ reach, lookup = allOf }: Posting): LookupFunction =>
  (host, options, callback) =>
    lookup(host, (error, addresses) => {
      const [first] = addresses
      if (error || !first) return callback(error ?? new Error('no address'), [])
      const inward = addresses.some(({ address }) => !reach.admits(address))
      if (inward && !reach.opens(host))
        return callback(
          new AddressRefused('the name leads to an address that may not be reached'),
          [],
        )
      if (options.all === true) return callback(null, [...addresses])
      callback(null, first.address, first.family)
    })
