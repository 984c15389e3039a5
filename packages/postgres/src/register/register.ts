/** The register on Postgres: the adapter of the engine's one port for truth. */
import { limits } from '@signalbox/core'
import type { AppendItem, AppendResult, Register } from '@signalbox/engine'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { openPool } from '../pool.ts'
import { compile, statement } from '../query.ts'
import { budgetsOf } from './budgets.ts'
import { Batcher, type BatchOptions, type Send } from './batcher.ts'
import { contentOf } from './content.ts'
import { threadsOf } from './threads.ts'
import { effectsOf } from './effects.ts'
import { undecidedItem, withoutDecision, wrap } from './encode.ts'
import { pausesOf } from './pauses.ts'
import { familiesOf } from './families.ts'
import { governanceOf } from './governance.ts'
import { ledgerOf } from './ledger.ts'
import { memoriesOf } from './memories.ts'
import { admissionsOf } from './admissions.ts'
import { waitingOf } from './waiting.ts'
import { runsOf } from './runs.ts'

/** How to reach the register. */
export type RegisterOptions = {
  readonly batch?: Partial<BatchOptions>
  /** Connections at most, default 10. Ignored for a pool that was given. */
  readonly maxConnections?: number
} & (
  | { /** Where to connect as `signalbox_engine`. */ readonly engineUrl: string }
  | { /** A pool that connects so. It stays open on `close`. */ readonly pool: Pool }
)

const batchDefaults: BatchOptions = {
  maxInFlight: 4,
  gatherItems: 8,
  gatherMs: 10,
  maxItems: limits.batchItemsMax,
  maxQueued: 10_000,
}

/** Opens the register. Connects with the first call; expects the schema to be migrated. */
export function createRegister(options: RegisterOptions): Register {
  const isOwnPool = 'engineUrl' in options
  const pool = isOwnPool
    ? openPool(options.engineUrl, {
        max: options.maxConnections ?? 10,
        name: 'signalbox-register',
      })
    : options.pool
  // Leases are renewed whatever else is under way: not behind what waits for a place, nor over what fell silent.
  const heartbeat = isOwnPool
    ? openPool(options.engineUrl, { max: 1, name: 'signalbox-leases' })
    : pool
  const batcher = new Batcher(sendThrough(pool), { ...batchDefaults, ...options.batch })
  const append = async (item: AppendItem): Promise<AppendResult> => {
    const parcel = wrap(item)
    if (!('code' in parcel)) return batcher.add(parcel)
    // Too large, perhaps for the sake of its decision: the facts are not.
    const rest = item.decision ? wrap(undecidedItem(item)) : parcel
    if ('code' in rest) return parcel
    return withoutDecision(item, await batcher.add(rest), parcel.detail ?? parcel.code)
  }
  return {
    append,
    appendMany: (items) => Promise.all(items.map(append)),
    ...runsOf(pool),
    ...effectsOf(pool, heartbeat),
    ...contentOf(pool),
    ...threadsOf(pool),
    ...admissionsOf(pool),
    ...waitingOf(pool),
    ...familiesOf(pool),
    ...governanceOf(pool),
    ...budgetsOf(pool),
    ...pausesOf(pool),
    ...ledgerOf(pool),
    ...memoriesOf(pool),
    close: async () => {
      if (isOwnPool) await Promise.all([pool.end(), heartbeat.end()])
    },
  }
}

const appendItems = statement(
  'append',
  compile(sql<{ answers: AppendResult[] }>`select signalbox.append(${''}::jsonb) as answers`),
)

const sendThrough =
  (pool: Pool): Send =>
  async (parcels) => {
    const items = `[${parcels.map((parcel) => parcel.json).join(',')}]`
    const [row] = await appendItems(pool, [items])
    return row?.answers ?? []
  }
