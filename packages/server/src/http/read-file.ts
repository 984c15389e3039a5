/**
 * A file of a thread as an answer: never as something that a browser would execute. It is an attachment, its type is made of its content and
 * none by which scripts run, nobody may guess another one, and what opens it anyway has no origin.
 */
import { Problem } from './problem.ts'

/** The range of a content that is asked for, and the conditions, as the headers say them (RFC 9110, sections 13 and 14). */
export interface FileWish {
  readonly range: string | undefined
  readonly ifRange: string | undefined
  readonly ifNoneMatch: string | undefined
}

/** A content, and what it is. */
export interface FileContent {
  readonly path: string
  readonly bytes: Uint8Array
  readonly type: string
  /** The same for the same content; null where nobody knows it before it is read. */
  readonly tag: string | null
}

const cache = {
  // A compressed range would be a range of something else.
  'cache-control': 'no-store, no-transform',
}

/** The answer to a client that has this content already; null: it has not. Only of what can be read: a condition changes no error (RFC 9110, section 13.2.1). */
export function unchanged(
  tag: string | null,
  { ifNoneMatch }: Pick<FileWish, 'ifNoneMatch'>,
): Response | null {
  if (tag === null || ifNoneMatch === undefined) return null
  const held = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (!held.includes('*') && !held.includes(`"${tag}"`)) return null
  return new Response(null, { status: 304, headers: { etag: `"${tag}"`, ...cache } })
}

/** The whole file, or the one range that was asked for. @throws Problem `range_not_satisfiable` */
export function fileResponse(file: FileContent, wish: FileWish): Response {
  const { bytes } = file
  const tag = file.tag === null ? null : `"${file.tag}"`
  const isCurrent = wish.ifRange === undefined || wish.ifRange === tag
  const range = isCurrent ? rangeOf(wish.range, bytes.length) : null
  const headers = {
    ...inertHeaders(file),
    'accept-ranges': 'bytes',
    ...(tag === null ? {} : { etag: tag }),
  }
  if (range === null)
    return new Response(copyOf(bytes), {
      headers: { ...headers, 'content-length': String(bytes.length) },
    })
  const { from, to } = range
  return new Response(copyOf(bytes.subarray(from, to + 1)), {
    status: 206,
    headers: {
      ...headers,
      'content-length': String(to + 1 - from),
      'content-range': `bytes ${from}-${to}/${bytes.length}`,
    },
  })
}

/** Bodies of answers take bytes of a buffer of their own. */
const copyOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

const inertHeaders = ({ path, type }: FileContent) => ({
  'content-type': type,
  'content-disposition': attachment(path.slice(path.lastIndexOf('/') + 1)),
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
  'cross-origin-resource-policy': 'same-origin',
  ...cache,
})

/** RFC 6266: a name that everybody reads, and beside it the one it is. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\u0020-\u007e]|["\\%]/gu, '_')
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}

/** Null: the whole. What is no single range of bytes is ignored, as RFC 9110 lets a server do. */
function rangeOf(
  header: string | undefined,
  length: number,
): { readonly from: number; readonly to: number } | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const to = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (from <= to) return { from, to }
  throw new Problem('range_not_satisfiable', {
    detail: `The file has ${length} bytes.`,
    field: 'range',
    headers: { 'content-range': `bytes */${length}` },
  })
}
