/** Reads and checks bodies before any route sees them: size, encoding, nesting, keys. */
import type { MiddlewareHandler } from 'hono'
import { readDecoded, tooLarge } from './decoded-body.ts'
import { guardJson } from './json-guard.ts'
import { Problem } from './problem.ts'

const jsonType = /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i

/**
 * Leaves the body as text for the validators. A body without a JSON media type is refused: it is what a form on a
 * foreign web page could send. `larger`: what some paths may take instead; `isRaw`: whose bodies are files, which their routes read.
 */
export const readBody =
  (
    usual: number,
    larger: ReadonlyMap<string, number> = new Map(),
    isRaw: (request: { readonly method: string; readonly path: string }) => boolean = () => false,
  ): MiddlewareHandler =>
  async (c, next) => {
    const bytesMax = larger.get(c.req.path) ?? usual
    const { raw } = c.req
    if (raw.method === 'GET' || raw.method === 'HEAD' || raw.body === null) return next()
    if (isRaw({ method: raw.method, path: c.req.path })) return next()
    const declared = Number(c.req.header('content-length') ?? 0)
    if (declared > bytesMax) throw tooLarge(bytesMax)
    const encoding = c.req.header('content-encoding') ?? ''
    const bytes = await readDecoded(raw.body, { encoding, bytesMax })
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
    const body = text === '' ? '{}' : text
    c.req.raw = new Request(raw, { method: raw.method, headers: asJson(raw.headers), body })
    return next()
  }

/** The validators know `application/json` alone; others of its kind (`application/a2a+json`) are read as that. */
function asJson(sent: Headers): Headers {
  if (/^application\/json\s*(;|$)/i.test(sent.get('content-type') ?? '')) return sent
  const headers = new Headers(sent)
  headers.set('content-type', 'application/json')
  return headers
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('malformed_json', { detail: 'The body is not UTF-8.' })
  }
}
