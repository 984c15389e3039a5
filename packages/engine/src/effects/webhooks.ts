/** Delivers webhooks, on orchestrators: after the decision, or when the reconciler finds one that is due. */
import type { WebhookEffect } from '@signalbox/core'
import { draftClaim } from '../perform/claim.ts'
import { performWebhook, type WebhookDeps, webhooksIn } from '../perform/webhook.ts'
import type { AppendItem, WebhookSender } from '../ports.ts'
import { insist } from '../record/patience.ts'
import { type LoopDeps, performClaimed, type Performer } from './loop.ts'
import { type RowOf, rowOf } from './row.ts'

type Delivered = Pick<AppendItem, 'notes' | 'settle'>

export type WebhooksDeps = Omit<WebhookDeps, 'sender'> &
  LoopDeps & {
    /** Null: this process reaches nobody, others do. */
    readonly sender: WebhookSender | null
  }

/** Delivers one, if there is room: otherwise the register looks again. */
export function createDelivery(deps: WebhooksDeps): (effectId: string) => Promise<void> {
  const { register, settings, sender } = deps
  /** Deliveries that use the room: not those whose outcome a register does not take. */
  let delivering = 0
  return async (effectId) => {
    if (!sender || deps.draining.aborted || delivering >= settings.webhookConcurrency) return
    delivering += 1
    let inRoom = true
    const leave = (): void => {
      if (inRoom) delivering -= 1
      inRoom = false
    }
    const deliver = async (): Promise<void> => {
      const row = rowOf('webhook.deliver', await register.effect(effectId))
      if (row) await performClaimed(deps, webhookPerformer({ ...deps, sender }, leave), row)
    }
    await deliver().finally(leave)
  }
}

const webhookPerformer = (
  deps: WebhooksDeps & { readonly sender: WebhookSender },
  /** Gives the room to others. */
  leave: () => void,
): Performer<RowOf<WebhookEffect>, unknown, Delivered> => ({
  givenUp: 'a webhook was not delivered',
  // It is told of the run, and decides nothing of it.
  needsRun: false,
  async read({ runId }) {
    const [first] = await deps.register.events(runId, { limit: 1 })
    return webhooksIn(first)
  },
  // Once: if that fails, the reconciler finds the delivery again.
  async claim({ effectId, runId, tenantId, threadId, rootId }) {
    const since = deps.clock.monotonic()
    const claims = [draftClaim(deps, effectId)]
    const result = await deps.register.append({ runId, tenantId, claims })
    const { code = 'gone', attempt = 0 } = result.claims[0] ?? {}
    const place = { runId, rootId: rootId ?? runId, threadId }
    return { code, lease: { effectId, ...place, attempt, since, outlivesRun: true }, result }
  },
  perform: (row, { attempt }, held) =>
    performWebhook(deps, { row, effect: row.spec, attempt }, held),
  async record({ runId, tenantId }, outcome) {
    leave()
    const append = () => deps.register.append({ runId, tenantId, ...outcome })
    deps.views.noted(runId, await insist(deps, 'append', append))
  },
})
