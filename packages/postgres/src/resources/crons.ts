/** The crons of a tenant. Reads go through RLS, writes through functions that check the tenant. */
import { type JsonObject, limits } from '@signalbox/core'
import { type RawBuilder, sql } from 'kysely'
import { compile, isUuid, only, pageSize } from '../query.ts'
import type { Page } from '../read/listings.ts'
import { allOf } from '../read/run-conditions.ts'
import type { AsTenant } from '../read/tenant-session.ts'
import { type Cron, cronColumns, type NewCron } from './cron.ts'

/** By what a listing of crons is sorted. */
export type CronOrder = 'cronId' | 'assistant' | 'threadId' | 'createdAt' | 'updatedAt' | 'nextAt'

/** Which crons a listing shows. Filters join with "and". */
export interface CronFilter extends Page {
  readonly assistant?: string
  readonly threadId?: string
  readonly enabled?: boolean
  /** Keys and values that the metadata must have. */
  readonly metadata?: JsonObject
  /** Default: `createdAt`, newest first. */
  readonly orderBy?: CronOrder
  readonly ascending?: boolean
}

/** Crons of one tenant. What belongs to another one is not there. */
export interface Crons {
  cron(tenantId: string, cronId: string): Promise<Cron | null>
  crons(tenantId: string, filter: CronFilter): Promise<readonly Cron[]>
  /** How many crons a filter finds, its page aside. */
  count(tenantId: string, filter: CronFilter): Promise<number>
  /** `full`: the tenant has `limits.cronsMax`. */
  create(cron: NewCron): Promise<'ok' | 'full'>
  /**
   * Writes the cron if nobody changed it since its revision. Its next time stands unless `reschedule`: it may be fired
   * right now.
   */
  update(cron: NewCron & Pick<Cron, 'revision'>, reschedule: boolean): Promise<boolean>
  /** Was it there? */
  delete(tenantId: string, cronId: string): Promise<boolean>
}

const columns: Readonly<Record<CronOrder, RawBuilder<unknown>>> = {
  cronId: sql`c.id`,
  assistant: sql`c.assistant`,
  threadId: sql`c.thread_id`,
  createdAt: sql`c.created_at`,
  updatedAt: sql`c.updated_at`,
  nextAt: sql`c.next_at`,
}

/** The crons over sessions that read, and that write. */
export function cronsOf(read: AsTenant, write: AsTenant): Crons {
  return {
    async cron(tenantId, cronId) {
      if (!isUuid(cronId)) return null
      const query = sql<Cron>`select ${cronColumns} from signalbox.cron c where c.id = ${cronId}`
      return (await read(tenantId, compile(query)))[0] ?? null
    },
    crons(tenantId, filter) {
      const { orderBy = 'createdAt', ascending = false } = filter
      const direction = ascending ? sql`asc` : sql`desc`
      const query = sql<Cron>`select ${cronColumns} from signalbox.cron c where ${matches(filter)}
        order by ${columns[orderBy]} ${direction} nulls last, c.id ${direction}
        limit ${pageSize(filter.limit, limits.pageMax)} offset ${filter.offset ?? 0}`
      return read(tenantId, compile(query))
    },
    async count(tenantId, filter) {
      const query = sql<{ readonly count: number }>`
        select count(*)::int as count from signalbox.cron c where ${matches(filter)}`
      return (await read(tenantId, compile(query)))[0]?.count ?? 0
    },
    async create(cron) {
      const call = sql<{ readonly code: 'ok' | 'full' }>`
        select signalbox.create_cron(${JSON.stringify(cron)}::jsonb) as code`
      return only(await write(cron.tenantId, compile(call))).code
    },
    async update(cron, reschedule) {
      const call = sql<{ readonly done: boolean }>`
        select signalbox.update_cron(${JSON.stringify(cron)}::jsonb, ${reschedule}) as done`
      return only(await write(cron.tenantId, compile(call))).done
    },
    async delete(tenantId, cronId) {
      if (!isUuid(cronId)) return false
      const call = sql<{ readonly done: boolean }>`
        select signalbox.delete_cron(${tenantId}, ${cronId}) as done`
      return only(await write(tenantId, compile(call))).done
    },
  }
}

function matches({ assistant, threadId, enabled, metadata }: CronFilter): RawBuilder<unknown> {
  return allOf([
    ...(assistant === undefined ? [] : [sql`c.assistant = ${assistant}`]),
    ...(threadId === undefined ? [] : [sql`c.thread_id = ${threadId}`]),
    ...(enabled === undefined ? [] : [sql`c.enabled = ${enabled}`]),
    ...(metadata === undefined ? [] : [sql`c.metadata @> ${JSON.stringify(metadata)}::jsonb`]),
  ])
}
