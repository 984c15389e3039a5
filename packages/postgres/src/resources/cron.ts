/** A cron as it is stored, and the columns it is read from. */
import type { JsonObject } from '@signalbox/core'
import type { Person } from '@signalbox/engine'
import { sql } from 'kysely'
import { inMs } from '../query.ts'

/** The maker of a cron, and whom its runs work for. */
export interface CronMaker {
  readonly actor: string
  readonly user?: Person
  readonly endUser?: string
}

/** A cron. Times in milliseconds since the epoch. */
export interface Cron {
  /** A UUID. */
  readonly cronId: string
  readonly tenantId: string
  /** Null: each run has a thread of its own. */
  readonly threadId: string | null
  /** The name of an agent, or the id of an assistant. */
  readonly assistant: string
  readonly schedule: string
  /** Null: UTC. */
  readonly timezone: string | null
  readonly endAt: number | null
  readonly enabled: boolean
  /** Of the create of each run, as it was sent. */
  readonly body: JsonObject
  readonly metadata: JsonObject
  readonly maker: CronMaker
  /** Null: never again, or not enabled. */
  readonly nextAt: number | null
  /** The time that was fired last, and what came of it: a run, or a problem. */
  readonly lastAt: number | null
  readonly lastRun: string | null
  readonly lastProblem: string | null
  /** Counts what its owner did. */
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** A cron that is to be made. */
export type NewCron = Omit<
  Cron,
  'lastAt' | 'lastRun' | 'lastProblem' | 'revision' | 'createdAt' | 'updatedAt'
>

/** The columns of `Cron`, for a query over `signalbox.cron c`. */
export const cronColumns = sql`c.id as "cronId", c.tenant_id as "tenantId", c.thread_id as "threadId", c.assistant,
  c.schedule, c.timezone, ${inMs('c.end_at')} as "endAt", c.enabled, c.body, c.metadata, c.maker,
  ${inMs('c.next_at')} as "nextAt", ${inMs('c.last_at')} as "lastAt", c.last_run as "lastRun",
  c.last_problem as "lastProblem", c.revision, ${inMs('c.created_at')} as "createdAt", ${inMs('c.updated_at')} as "updatedAt"`
