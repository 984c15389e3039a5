/** The register on Postgres: the adapter of the engine's one port for truth. */
import { limits } from '@signalbox/core'
import type { AppendItem, AppendResult, Register } from '@signalbox/engine'
import type { Pool } from 'pg'
import { openPool } from '../pool.ts'
import { budgetsOf } from './budgets.ts'
import { Batcher, type BatchOptions, type Send } from './batcher.ts'
import { contentOf } from './content.ts'
import { threadsOf } from './threads.ts'
import {
  readDueTimers,
  readEffect,
  readNextDue,
  readOpenEffects,
  renewLeases,
  takeDue,
} from './effects.ts'
import { wrap } from './encode.ts'
import { readChildren, readEndedChildren, readOrphans } from './families.ts'
import { governanceOf } from './governance.ts'
import {
  readAdmissibleRuns,
  readNextInLanes,
  readNextInThread,
  readSuperseded,
} from './admissions.ts'
import { readNextWaiting, readWaitingCalls, takeWaiting } from './waiting.ts'
import {
  readChangedFiles,
  readConversation,
  readEvents,
  readHead,
  readReadyRuns,
  readTail,
} from './runs.ts'

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
  const batcher = new Batcher(sendThrough(pool), { ...batchDefaults, ...options.batch })
  const append = async (item: AppendItem): Promise<AppendResult> => {
    const parcel = wrap(item)
    return 'code' in parcel ? parcel : batcher.add(parcel)
  }
  return {
    append,
    appendMany: (items) => Promise.all(items.map(append)),
    head: (runId) => readHead(pool, runId),
    tail: (runId) => readTail(pool, runId),
    events: (runId, page) => readEvents(pool, runId, page),
    conversation: (threadId, runId) => readConversation(pool, { threadId, runId }),
    changedFiles: (threadId, runId) => readChangedFiles(pool, { threadId, runId }),
    effect: (effectId) => readEffect(pool, effectId),
    openEffects: (runId) => readOpenEffects(pool, runId),
    ...contentOf(pool),
    ...threadsOf(pool),
    readyRuns: (limit) => readReadyRuns(pool, limit),
    admissibleRuns: (limit) => readAdmissibleRuns(pool, limit),
    nextInThread: (tenantId, threadId) => readNextInThread(pool, tenantId, threadId),
    nextInLanes: (runId, limit) => readNextInLanes(pool, runId, limit),
    superseded: (limit, thread) => readSuperseded(pool, limit, thread),
    takeDue: (kinds, againMs, limit) => takeDue(pool, kinds, { againMs, limit }),
    waitingCalls: () => readWaitingCalls(pool),
    takeWaiting: (queue, waitMs, limit) => takeWaiting(pool, queue, { waitMs, limit }),
    nextWaiting: (queue, afterTenant) => readNextWaiting(pool, queue, afterTenant),
    dueTimers: (limit) => readDueTimers(pool, limit),
    children: (runId) => readChildren(pool, runId),
    endedChildren: (limit) => readEndedChildren(pool, limit),
    orphans: (limit) => readOrphans(pool, limit),
    nextDue: () => readNextDue(pool),
    renew: (leases, leaseMs) => renewLeases(pool, leases, leaseMs),
    ...governanceOf(pool),
    ...budgetsOf(pool),
    close: async () => {
      if (isOwnPool) await pool.end()
    },
  }
}

function sendThrough(pool: Pool): Send {
  return async (parcels) => {
    const result = await pool.query<{ answers: AppendResult[] }>({
      name: 'signalbox.append',
      text: 'select signalbox.append($1::jsonb) as answers',
      values: [`[${parcels.map((parcel) => parcel.json).join(',')}]`],
    })
    return result.rows[0]?.answers ?? []
  }
}
