/** Who is told of runs: sometimes out of order, slow, full or gone for good, and never before what is told is durable. */
import type { DeliveryAnswer, WebhookSender } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { beginsUnderLease } from './beginnings.ts'
import type { Incarnation } from './process.ts'
import type { World } from './world.ts'

/** Longer than an attempt holds its effect. */
const slowMs = 900

export function simulatedReceiver(
  world: World,
  { tables }: MemoryRegister,
  life: Incarnation,
): WebhookSender {
  const { schedule, received, complaints } = world
  return {
    endpoints: () => [],
    deliver: async ({ id, runId, on }, signal) => {
      const effect = tables.effects.get(id)
      beginsUnderLease(world, life, tables, { effect, what: `the delivery ${id}` })
      const slow = schedule.faults && schedule.chance(schedule.day.kind === 'freeze' ? 0.6 : 0.2)
      await life.clock.sleep(schedule.between(2, slow ? slowMs : 40), signal)
      signal.throwIfAborted()
      if (!life.alive) return new Promise(() => {})
      received.push(id)
      schedule.note(`tells ${id}`)
      const run = tables.runs.get(runId)
      const isSo = on === 'waiting' || run?.outcome === on
      if (!isSo || !tables.effects.has(id)) complaints.push(`W1 ${id} tells of ${on} too soon`)
      const answer = answerOf(schedule.faults ? schedule.unit() : 1)
      if (answer === null) throw new Error('the connection broke')
      return answer
    },
  }
}

/** Null: none. */
function answerOf(pick: number): DeliveryAnswer | null {
  const failed = { status: 500, retryAfterMs: null, final: false }
  if (pick < 0.08) return null
  if (pick < 0.25) return { ...failed, code: 'server_error' }
  if (pick < 0.32) return { ...failed, code: 'too_many', status: 429, retryAfterMs: 6_000 }
  if (pick < 0.4) return { ...failed, code: 'gone', status: 410, final: true }
  return { code: 'delivered', status: 204 }
}
