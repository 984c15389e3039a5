/**
 * Whatever touches the world begins under a lease that stands by the register's own word: its attempt is the current one,
 * its owner is the process that begins, it is not over, and its run has not ended. A claim that was granted proves nothing.
 *
 * A question to a policy changes nothing: the end of a run closes it without waiting, and it may be asked until the lease of its
 * claim is over.
 */
import { outlivesRun } from '@signalbox/core'
import type { MemoryRegister } from '@signalbox/testing/memory'
import type { Incarnation } from './process.ts'
import { epoch } from './schedule.ts'
import type { World } from './world.ts'

type Tables = MemoryRegister['tables']
type EffectRecord = Tables['effects'] extends Map<string, infer Row> ? Row : never

interface Beginning {
  readonly effect: EffectRecord | undefined
  readonly what: string
  /** Of the effect; undefined where the performer is not told. */
  readonly attempt?: number
}

/** Complains where something begins that may not. */
export function beginsUnderLease(
  { schedule, complaints }: World,
  { owner }: Incarnation,
  { runs }: Tables,
  { effect, what, attempt }: Beginning,
): void {
  const run = effect && runs.get(effect.runId)
  const goesOn = effect !== undefined && outlivesRun(effect.kind)
  const wasClosed = effect?.status === 'cancelled' && effect.kind === 'policy.evaluate'
  const wrong = !effect
    ? 'nothing of it is under way'
    : (effect.status !== 'started' && !wasClosed) || effect.owner !== owner
      ? `it is ${effect.status}, of ${effect.owner}`
      : attempt !== undefined && effect.attempt !== attempt
        ? `attempt ${effect.attempt} is under way`
        : effect.leaseUntil === null || effect.leaseUntil <= Math.floor(epoch + schedule.now)
          ? 'its lease is over'
          : run?.status === 'ended' && !goesOn && !wasClosed
            ? 'its run has ended'
            : null
  if (wrong !== null) complaints.push(`L1 ${what} began in ${owner}, and ${wrong}`)
}
