/**
 * Reads of the log: recorded in the ledger before anything is answered, so that a read that cannot be recorded is refused.
 *
 * R1 A read is recorded once per actor and hour, and never per page.
 * R2 Pieces of one export, by the same actor in the same hour, are one record. A reader that follows the log would else find its own
 *    records, and nothing else, for ever.
 */
import { type JsonObject, JsonObjectSchema } from '@signalbox/core'
import { canonical, type Ledger } from '@signalbox/engine'
import { createHash } from 'node:crypto'
import type { Identified } from '../api.ts'

/** An export that is about to begin. */
export interface Exported {
  readonly format: string
  /** As the request has it. */
  readonly query: object
  /** Null: not known before the end. */
  readonly events: number | null
}

/** Records reads of the log. Rejects if the register does. */
export interface LogReads {
  /** `path`: the address that was asked. */
  searched(caller: Identified, path: string): Promise<void>
  exported(caller: Identified, made: Exported): Promise<void>
}

const hourMs = 3_600_000
/** Records that a process remembers. Beyond it all are forgotten, and the ledger says that it knows them. */
const rememberedMax = 10_000
/** A filter that is larger, as JSON, is recorded as its digest and its names. */
const filterBytesMax = 4096
/** Where a piece begins, and how it looks, does not tell exports apart. */
const ofPieces = new Set(['after', 'limit', 'header', 'format'])

/** Over a ledger. `now`: milliseconds since the epoch. */
export function createLogReads(ledger: Ledger, now: () => number): LogReads {
  const recorded = new Set<string>()
  const once = async (use: string, record: () => Promise<unknown>): Promise<void> => {
    if (recorded.has(use)) return
    await record()
    if (recorded.size >= rememberedMax) recorded.clear()
    recorded.add(use)
  }
  return {
    searched: ({ tenantId: tenant, actor }, path) => {
      const at = now()
      const hour = at - (at % hourMs)
      const key = `log.searched:${hour}:${digest(actor)}`
      return once(`${key} ${tenant}`, () =>
        ledger.record({ tenant, type: 'log.searched', payload: { path, hour }, actor, key, at }),
      )
    },
    exported: ({ tenantId: tenant, actor }, { format, query, events }) => {
      const at = now()
      const hour = at - (at % hourMs)
      const filter = shown(query)
      const key = `export.made:${hour}:${digest(canonical([actor, format, filter]))}`
      return once(`${key} ${tenant}`, () =>
        ledger.record({
          tenant,
          type: 'export.made',
          payload: { format, filter, events },
          actor,
          key,
          at,
        }),
      )
    },
  }
}

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

/** The filters of a request that were given. */
function shown(query: object): JsonObject {
  const given = Object.entries(query).filter(
    ([name, value]) => value !== undefined && !ofPieces.has(name),
  )
  const text = canonical(Object.fromEntries(given))
  if (Buffer.byteLength(text) <= filterBytesMax) return JsonObjectSchema.parse(JSON.parse(text))
  return { names: given.map(([name]) => name), sha256: digest(text) }
}
