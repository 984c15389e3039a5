/** Effects whose outcome is a note: they move in the append that writes it, also when their run has ended. */
import { outlivesRun } from '@signalbox/core'
import type { SettleDraft } from '@signalbox/engine'
import { putUnsettled, type RunNow, type Tables } from './tables.ts'

/** Moves the effect if it is as the draft expects, and answers whether it was. */
export function settleEffect(tables: Tables, { run, now }: RunNow, draft: SettleDraft): boolean {
  const effect = tables.effects.get(draft.effectId)
  if (!effect || effect.runId !== run.runId || !outlivesRun(effect.kind)) return false
  if (effect.status !== draft.expect || effect.attempt !== draft.attempt) return false
  effect.status = draft.becomes
  if (draft.becomes === 'pending') putUnsettled(tables, effect)
  effect.leaseUntil = null
  effect.due = effect.notBefore = now + draft.delayMs
  return true
}
