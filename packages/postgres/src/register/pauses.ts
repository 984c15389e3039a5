/**
 * Pauses: set, and lifted. A pause is confirmed when every writer is over that may have missed it (P1 of the migration): they
 * are waited for here, so that no claim ever waits for a pause.
 */
import { limits } from '@signalbox/core'
import type { PauseCode, PausePort } from '@signalbox/engine'
import { sql } from 'kysely'
import { setTimeout } from 'node:timers/promises'
import type { Pool } from 'pg'
import { compile, fetchRows, isUuid, only } from '../query.ts'
import { pausesQuery } from '../read/pauses.ts'

/** A claim takes milliseconds; one that waits for a lock, as long as that. */
const confirmMsMax = 5_000
const lookMs = 10

export function pausesOf(pool: Pool): PausePort {
  return {
    async pause(draft) {
      const text = JSON.stringify(draft)
      const set = sql<{ readonly code: PauseCode; readonly pauseId: string }>`
        select code, pause_id as "pauseId" from signalbox.set_pause(${text}::jsonb, ${limits.pausesMax}::int)`
      const answer = only(await fetchRows(pool, compile(set)))
      if (answer.code === 'full' || answer.code === 'taken') return { ...answer, confirmed: true }
      return { ...answer, confirmed: await isSeenByAll(pool) }
    },
    async lift(tenantId, pauseId, told) {
      if (!isUuid(pauseId)) return false
      const lift = sql<{ readonly done: boolean }>`
        select signalbox.lift_pause(${tenantId}, ${pauseId}::uuid, ${JSON.stringify(told)}::jsonb) as done`
      return (await fetchRows(pool, compile(lift)))[0]?.done ?? false
    },
    pauses: (tenantId) => fetchRows(pool, pausesQuery(tenantId)),
  }
}

/** Waits for the writers that may have missed what was committed. False: they are still under way. */
async function isSeenByAll(pool: Pool): Promise<boolean> {
  const since = performance.now()
  let left = await missedBy(pool, null)
  while (left.length > 0 && performance.now() - since < confirmMsMax) {
    await setTimeout(lookMs)
    left = await missedBy(pool, left)
  }
  return left.length === 0
}

async function missedBy(pool: Pool, among: readonly string[] | null): Promise<readonly string[]> {
  const look = sql<{ readonly missed: readonly string[] }>`
    select signalbox.pause_missed_by(${among}::text[]) as missed`
  return (await fetchRows(pool, compile(look)))[0]?.missed ?? []
}
