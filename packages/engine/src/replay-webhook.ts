/** Asking for a delivery once more: the same id, the same address, all its attempts again. */
import type { ReplayAnswer, ReplayWebhook } from './engine.ts'
import type { Register } from './ports.ts'
import type { Writer } from './record/draft.ts'
import { insist, type Patience } from './record/patience.ts'
import type { Views } from './record/view.ts'

export interface ReplayWebhookDeps extends Patience {
  readonly register: Register
  readonly views: Views
  readonly writer: Writer
}

/** Makes a delivery that is over due again, and says in the log who asked for it. */
export async function replayWebhook(
  deps: ReplayWebhookDeps,
  { tenantId, runId, effectId, actor }: ReplayWebhook,
): Promise<ReplayAnswer> {
  const row = await insist(deps, 'read effect', () => deps.register.effect(effectId))
  const isOwn = row?.tenantId === tenantId && row.runId === runId
  if (!isOwn || row.kind !== 'webhook.deliver') return 'unknown'
  const { attempt } = row
  const note = deps.writer.event('webhook.replayed', { effectId, attempt }, { actor })
  const settle = { effectId, attempt, expect: 'done', becomes: 'pending', delayMs: 0 } as const
  // Repeated after a lost answer, it is under way already.
  const result = await insist(deps, 'append', () =>
    deps.register.append({ runId, tenantId, notes: [note], settle }),
  )
  if (result.code === 'rejected') return 'rejected'
  deps.views.noted(runId, result)
  return result.settled === true ? 'accepted' : 'under_way'
}
