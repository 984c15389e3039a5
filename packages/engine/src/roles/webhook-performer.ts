/** Delivers webhooks, on orchestrators: after the decision, or when the reconciler finds one that is due. */
import { messageOf } from '../errors.ts'
import { draftClaim } from '../perform/claim.ts'
import { performWebhook, type WebhookDeps } from '../perform/webhook.ts'
import type { AppendItem, WebhookSender } from '../ports.ts'
import { insist, type Patience } from '../record/patience.ts'
import type { Views } from '../record/view.ts'
import type { EngineSettings } from '../settings.ts'

export interface WebhookPerformerDeps extends Omit<WebhookDeps, 'sender'>, Patience {
  /** Null: this process reaches nobody, others do. */
  readonly sender: WebhookSender | null
  readonly views: Views
  readonly settings: EngineSettings
  readonly draining: AbortSignal
}

export interface WebhookPerformer {
  /** Claims and delivers. A refused claim does nothing, nor does a process that is busy: the register looks again. */
  take(effectId: string): Promise<void>
  idle(): Promise<void>
}

export function createWebhookPerformer(deps: WebhookPerformerDeps): WebhookPerformer {
  const { register, settings, sender } = deps
  const running = new Set<Promise<void>>()
  /** Deliveries that use the room: not those whose outcome a register does not take. */
  let delivering = 0

  const deliver = async (effectId: string): Promise<void> => {
    if (!sender || deps.draining.aborted || delivering >= settings.webhookConcurrency) return
    delivering += 1
    const delivered = await claimAndDeliver(sender, effectId).finally(() => (delivering -= 1))
    if (!delivered) return
    const { runId } = delivered
    deps.views.noted(runId, await insist(deps, 'append', () => register.append(delivered)))
  }

  /** The outcome to append, null if there is nothing to deliver. Asks once: what fails, the reconciler finds again. */
  const claimAndDeliver = async (
    to: WebhookSender,
    effectId: string,
  ): Promise<AppendItem | null> => {
    const row = await register.effect(effectId)
    if (row?.spec.kind !== 'webhook.deliver') return null
    const { runId, tenantId, spec: effect } = row
    // Longer than an attempt may take: nobody renews it, for nobody calls a delivery back.
    const claim = { ...draftClaim(deps, effectId), leaseMs: settings.webhookLeaseMs }
    const result = await register.append({ runId, tenantId, claims: [claim] })
    const claimed = result.claims[0]
    if (claimed?.code !== 'ok') return null
    deps.views.noted(runId, result)
    const task = { row, effect, attempt: claimed.attempt }
    const outcome = await performWebhook({ ...deps, sender: to }, task, deps.stopped)
    return { runId, tenantId, ...outcome }
  }

  return {
    take(effectId) {
      const work = deliver(effectId)
        .catch((error: unknown) =>
          deps.log.warn('a webhook was not delivered', { effectId, error: messageOf(error) }),
        )
        .finally(() => running.delete(work))
      running.add(work)
      return work
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
