/** Reads and checks bodies before any route sees them: size, encoding, nesting, keys. */
import type { MiddlewareHandler } from 'hono'
import { guardJson } from './json-guard.ts'
import { Problem } from './problem.ts'

const jsonType = /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i

/**
 * Leaves the body as text for the validators. A body without a JSON media type is refused: it is what a form on a
 * foreign web page could send. `larger`: what some paths may take instead.
 */
export const readBody =
  (usual: number, larger: ReadonlyMap<string, number> = new Map()): MiddlewareHandler =>
  async (c, next) => {
    const bytesMax = larger.get(c.req.path) ?? usual
    const { raw } = c.req
    if (raw.method === 'GET' || raw.method === 'HEAD' || raw.body === null) return next()
    const declared = Number(c.req.header('content-length') ?? 0)
    if (declared > bytesMax) throw tooLarge(bytesMax)
    const bytes = await take(raw.body, bytesMax)
    if (bytes.byteLength > 0 && !jsonType.test(c.req.header('content-type') ?? ''))
      throw new Problem('unsupported_media_type', {
        detail: 'The body must come with Content-Type: application/json.',
        field: 'content-type',
      })
    const text = decode(bytes)
    if (text !== '') {
      const guarded = guardJson(text)
      if (!guarded.ok) throw new Problem(guarded.code, { detail: guarded.detail })
    }
    // What was read here is what the validators read. No body is an empty document: fields say what they miss.
    c.req.raw = new Request(raw, { method: raw.method, body: text === '' ? '{}' : text })
    return next()
  }

const tooLarge = (bytesMax: number): Problem =>
  new Problem('body_too_large', {
    detail: `The body may have at most ${bytesMax} bytes.`,
    // The rest of the body is not read, so the connection cannot carry another request.
    headers: { connection: 'close' },
  })

/** Counts what arrives: a chunked body declares no length, and a declared one may lie. */
async function take(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('malformed_json', { detail: 'The body is not UTF-8.' })
  }
}
