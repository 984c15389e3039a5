/** Delivers webhooks, on orchestrators: after the decision, or when the reconciler finds one that is due. */
import { messageOf } from '../errors.ts'
import { claimEffect } from '../perform/claim.ts'
import type { Leases } from '../perform/leases.ts'
import { performWebhook, type WebhookDeps } from '../perform/webhook.ts'
import type { WebhookSender } from '../ports.ts'
import { insist, type Patience } from '../record/patience.ts'
import type { Views } from '../record/view.ts'
import type { EngineSettings } from '../settings.ts'

export interface WebhookPerformerDeps extends Omit<WebhookDeps, 'sender'>, Patience {
  /** Null: this process reaches nobody, others do. */
  readonly sender: WebhookSender | null
  readonly views: Views
  readonly leases: Leases
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

  const deliver = async (effectId: string): Promise<void> => {
    if (!sender || deps.draining.aborted || running.size >= settings.webhookConcurrency) return
    const row = await insist(deps, 'read effect', () => register.effect(effectId))
    if (row?.spec.kind !== 'webhook.deliver') return
    const { runId, tenantId, spec: effect } = row
    const { code, lease, result } = await claimEffect(deps, row)
    if (code !== 'ok') return
    deps.views.noted(runId, result)
    const task = { row, effect, attempt: lease.attempt }
    await deps.leases.hold(
      { ...lease, outlivesRun: true },
      (held) => performWebhook({ ...deps, sender }, task, held),
      async (outcome) => {
        const append = () => register.append({ runId, tenantId, ...outcome })
        deps.views.noted(runId, await insist(deps, 'append', append))
      },
    )
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
