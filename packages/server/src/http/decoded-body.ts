/**
 * Bodies as they were before they were compressed (RFC 9110, section 8.4).
 *
 * C1 No more is inflated than a body may have: what would come to more is refused while it is inflated.
 * C2 What arrives is counted too: compressed, nothing at all may have any length.
 */
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Problem } from './problem.ts'

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Reads a body of at most `bytesMax` bytes. `encoding` is its Content-Encoding. @throws Problem */
export async function readDecoded(
  body: AsyncIterable<Uint8Array>,
  { encoding, bytesMax }: { readonly encoding: string; readonly bytesMax: number },
): Promise<Uint8Array> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return concat(within(body, bytesMax))
  const decoder = decoders.get(name)
  if (!decoder)
    throw new Problem('unsupported_encoding', {
      detail: 'The body may be compressed with gzip, deflate or br, once.',
      field: 'content-encoding',
      headers: { 'accept-encoding': 'gzip, deflate, br' },
    })
  return pipeline(within(body, bytesMax), decoder(), (inflated: AsyncIterable<Uint8Array>) =>
    concat(within(inflated, bytesMax)),
  ).catch((error: unknown) => {
    throw isOfDecoder(error) ? malformed(name) : error
  })
}

/** Counts what passes: a chunked body declares no length, and a declared one may lie. */
async function* within(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    yield chunk
  }
}

async function concat(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

/** Errors of zlib and of Brotli. Those of connections have other codes. */
const isOfDecoder = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(Z_|ERR__ERROR_)/.test(error.code)

const malformed = (name: string): Problem =>
  new Problem('malformed_encoding', {
    detail: `The body cannot be decoded as ${name}.`,
    field: 'content-encoding',
  })

export const tooLarge = (bytesMax: number): Problem =>
  new Problem('body_too_large', {
    detail: `The body may have at most ${bytesMax} bytes.`,
    // The rest of the body is not read, so the connection cannot carry another request.
    headers: { connection: 'close' },
  })
