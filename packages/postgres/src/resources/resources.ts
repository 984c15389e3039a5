/** The resources of a tenant beside its runs: a store, crons, assistants, and uploads that no run has named. Not the register: none of it is an event, all of it may change. */
import { type Assistants, assistantsOf } from './assistants.ts'
import { openTenantPool, type TenantPoolOptions, tenantSession } from '../read/tenant-session.ts'
import { type Crons, cronsOf } from './crons.ts'
import { type Store, storeOf } from './store.ts'
import { type Uploads, uploadsOf } from './uploads.ts'

/** The resources of tenants, one tenant at a time (I19). */
export interface Resources {
  readonly store: Store
  readonly crons: Crons
  readonly assistants: Assistants
  readonly uploads: Uploads
  close(): Promise<void>
}

/** Opens them. Connects with the first call. */
export function createResources(options: TenantPoolOptions): Resources {
  const pool = openTenantPool(options, 'signalbox-resources')
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
