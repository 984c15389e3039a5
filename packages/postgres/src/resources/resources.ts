/** What a tenant keeps beside its runs: a store, crons, assistants, and uploads that no run has named. Not the register: none of it is an event, all of it may change. */
import { type Assistants, assistantsOf } from './assistants.ts'
import { openPool } from '../pool.ts'
import { tenantSession } from '../read/tenant-session.ts'
import { type Crons, cronsOf } from './crons.ts'
import { type Store, storeOf } from './store.ts'
import { type Uploads, uploadsOf } from './uploads.ts'

/** What tenants keep, one tenant at a time (I19). */
export interface Resources {
  readonly store: Store
  readonly crons: Crons
  readonly assistants: Assistants
  readonly uploads: Uploads
  close(): Promise<void>
}

/** How to reach them. */
export interface ResourcesOptions {
  /** Where to connect as `signalbox_app`. */
  readonly appUrl: string
  /** Connections at most, default 5. */
  readonly maxConnections?: number
}

/** Opens them. Connects with the first call. */
export function createResources(options: ResourcesOptions): Resources {
  const pool = openPool(options.appUrl, {
    max: options.maxConnections ?? 5,
    pipeline: true,
    name: 'signalbox-resources',
  })
  const read = tenantSession(pool)
  const write = tenantSession(pool, 'read write')
  return {
    store: storeOf(read, write),
    crons: cronsOf(read, write),
    assistants: assistantsOf(read, write),
    uploads: uploadsOf(write),
    close: () => pool.end(),
  }
}
