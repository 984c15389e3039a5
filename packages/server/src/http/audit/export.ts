/**
 * The feed as a file. Paged by position, so an export that broke off goes on behind the last event it has, while others
 * write: none is skipped, none comes twice (I17). A piece, asked for with `limit`, says before it begins where it ends.
 */
import { limits } from '@signalbox/core'
import type { SearchFilter } from '@signalbox/postgres'
import { textStream } from '../../stream/sse.ts'
import type { Api, Identified } from '../api.ts'
import { nextLink } from '../next-link.ts'
import { type Row, rowsOf } from './columns.ts'
import { csvTexts } from './csv.ts'
import { type Format, mediaTypes } from './format.ts'
import { inBounds } from './in-bounds.ts'
import { parquetBytes } from './parquet.ts'

/** A client that takes nothing for this long is gone. */
const stallMs = 60_000

/** Which events, in which form. */
export interface ExportWish {
  readonly caller: Identified
  /** The filters as the request has them. */
  readonly query: object
  /** Null: none. */
  readonly filter: SearchFilter | null
  readonly format: Exclude<Format, 'json'>
  /** Events of a piece; without it, to the end of what is there. With `q`: of those that are looked at. */
  readonly limit: number | undefined
  readonly header: boolean
  /** Of the request, for the link to the next piece. */
  readonly url: string
}

/** Where a piece ends: the position of its last event, to go on with as `after`. */
const positionHeader = 'x-signalbox-position'

/** Streams the export. The next page is read when the client has taken the one before. */
export async function exportResponse(
  api: Pick<Api, 'read' | 'log' | 'logReads'>,
  wish: ExportWish,
): Promise<Response> {
  const { format, caller, query } = wish
  const { filter, headers, events } = await bounded(api, wish)
  await api.logReads.exported(caller, { format, query, events })
  const pages = exportPages(api, caller.tenantId, filter)
  const after = wish.filter?.after
  const pieces = {
    ndjson: () => lines(pages),
    csv: () => csvTexts(pages, wish),
    parquet: () => parquetBytes(pages, { after }),
  }[format]()
  return new Response(
    textStream<string | Uint8Array>(pieces, { stallMs, onGone: () => {}, log: api.log }),
    {
      headers: {
        'content-type': mediaTypes[format],
        'cache-control': 'no-store',
        ...(format === 'ndjson'
          ? {}
          : { 'content-disposition': `attachment; filename="events.${format}"` }),
        ...headers,
      },
    },
  )
}

interface Bounded {
  readonly filter: SearchFilter | null
  readonly headers: Readonly<Record<string, string>>
  /** How many there are at most; null if nobody counted. */
  readonly events: number | null
}

/** The filter of a piece, and what is said of its end. */
async function bounded(api: Pick<Api, 'read'>, wish: ExportWish): Promise<Bounded> {
  const { filter, caller, url } = wish
  const size = wish.limit ?? (wish.format === 'parquet' ? limits.exportRowsMax : null)
  if (filter === null || size === null)
    return { filter, headers: {}, events: filter === null ? 0 : null }
  const { q: _, ...looked } = filter
  const end = await inBounds(() => api.read.auditPiece(caller.tenantId, looked, size))
  if (end === null) {
    const { after } = filter
    return {
      filter: null,
      headers: after === undefined ? {} : { [positionHeader]: after },
      events: 0,
    }
  }
  const { position, count } = end
  const link = count === size ? { link: nextLink(url, position) } : {}
  return {
    filter: { ...filter, through: position },
    headers: { [positionHeader]: position, ...link },
    events: count,
  }
}

async function* exportPages(
  api: Pick<Api, 'read'>,
  tenantId: string,
  filter: SearchFilter | null,
): AsyncGenerator<readonly Row[], void, undefined> {
  if (filter === null) return
  for (let after = filter.after; ;) {
    const from = after === undefined ? {} : { after }
    const { events, next } = await api.read.audit(tenantId, { ...filter, ...from })
    yield rowsOf(events)
    if (next === null) return
    after = next
  }
}

async function* lines(
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void, undefined> {
  for await (const page of pages)
    if (page.length > 0) yield page.map((row) => `${JSON.stringify(row)}\n`).join('')
}
