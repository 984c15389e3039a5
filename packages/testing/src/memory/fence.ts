/** Fences: what must hold of an effect for a fact about it to count. */
import type { EffectFence } from '@signalbox/engine'
import { hasLapsed } from './lapse.ts'
import type { RunNow, Tables } from './tables.ts'

export function fenceHolds(tables: Tables, { run, now }: RunNow, fence: EffectFence): boolean {
  const effect = tables.effects.get(fence.effectId)
  if (!effect || effect.runId !== run.runId) return false
  switch (fence.expect) {
    case 'pending':
      return effect.status === 'pending'
    case 'unknown':
      return effect.status === 'unknown'
    case 'started':
      return effect.status === 'started' && effect.attempt === fence.attempt
    case 'lost':
      return effect.attempt === fence.attempt && hasLapsed(tables, effect, now)
  }
}

/** An effect that becomes pending again is due at once; one that goes on without a lease, never. */
export function moveFenced(tables: Tables, fence: EffectFence, now: number): void {
  const effect = tables.effects.get(fence.effectId)
  if (!effect) return
  effect.status = fence.becomes
  effect.leaseUntil = null
  if (fence.becomes === 'pending') effect.due = effect.notBefore = now
  if (fence.becomes === 'started') effect.due = Infinity
}
