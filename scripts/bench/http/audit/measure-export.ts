/** How fast the feed leaves as a file, beside a cursor over the same rows whose lines are made by hand. */
import { limits } from '@signalbox/core'
import pg from 'pg'
import { round } from '../../cost.ts'
import type { Tell } from '../result.ts'

const formats = ['ndjson', 'csv', 'parquet'] as const
const pieces = 3
const fetched = 1000

interface Exported {
  readonly events: number
  readonly bytes: number
  readonly ms: number
}

/** Pieces of `limits.exportRowsMax` events, one after the other, as somebody would who copies the feed. */
export async function measureExport(
  at: { readonly url: string; readonly adminUrl: string },
  tell: Tell,
): Promise<void> {
  const floor = await byHand(at.adminUrl, pieces * limits.exportRowsMax)
  for (const format of formats) {
    const exported = await pull(at.url, format, floor.events)
    tell({
      bench: 'export',
      what: `${format}, ${pieces} pieces of ${limits.exportRowsMax}`,
      figures: rateOf(exported),
      floor: rateOf(floor),
      ratio: round(exported.events / exported.ms / (floor.events / floor.ms)),
    })
  }
}

const rateOf = ({ events, bytes, ms }: Exported) => ({
  eventsPerSecond: Math.round((events * 1000) / ms),
  megabytesPerSecond: round(bytes / ms / 1000, 1),
})

async function pull(url: string, format: string, expected: number): Promise<Exported> {
  const began = performance.now()
  let [after, bytes] = ['', 0]
  for (let n = 0; n < pieces; n += 1) {
    const query = new URLSearchParams({ format, limit: String(limits.exportRowsMax) })
    if (after !== '') query.set('after', after)
    const response = await fetch(`${url}/events?${query}`)
    if (!response.ok || !response.body) throw new Error(`the export answered ${response.status}`)
    for await (const chunk of response.body) bytes += chunk.byteLength
    after = response.headers.get('x-signalbox-position') ?? after
  }
  return { events: expected, bytes, ms: performance.now() - began }
}

/** Lines of JSON from a cursor. It answers how many there are, which may be fewer than are asked for. */
async function byHand(adminUrl: string, rowsMax: number): Promise<Exported> {
  const client = new pg.Client(adminUrl)
  await client.connect()
  const began = performance.now()
  let [events, bytes] = [0, 0]
  try {
    await client.query(
      `begin read only;
       declare feed no scroll cursor for
         select run_id, seq, thread_id, type, type_version, at, actor, tool, verdict, payload,
           encode(payload_sha256, 'hex'), encode(digest, 'hex'), encode(hash, 'hex'), xid, gpos
         from signalbox.event where tenant_id = 'default' and xid < pg_snapshot_xmin(pg_current_snapshot())
         order by xid, gpos limit ${rowsMax}`,
    )
    for (;;) {
      const { rows } = await client.query(`fetch ${fetched} from feed`)
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      bytes += Buffer.byteLength(text)
      events += rows.length
      if (rows.length < fetched) return { events, bytes, ms: performance.now() - began }
    }
  } finally {
    await client.end()
  }
}
