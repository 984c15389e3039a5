/** Delivers webhooks, on orchestrators: after the decision, or when the reconciler finds one that is due. */
import { messageOf } from '../errors.ts'
import { draftClaim } from '../perform/claim.ts'
import type { Leases } from '../perform/leases.ts'
import { performWebhook, type WebhookDeps, webhooksIn } from '../perform/webhook.ts'
import type { WebhookSender } from '../ports.ts'
import { insist, type Patience } from '../record/patience.ts'
import type { Views } from '../record/view.ts'
import type { EngineSettings } from '../settings.ts'
import { newerIn } from './newer-in.ts'

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
  /** Deliveries that use the room: not those whose outcome a register does not take. */
  let delivering = 0

  const deliver = async (effectId: string): Promise<void> => {
    if (!sender || deps.draining.aborted || delivering >= settings.webhookConcurrency) return
    delivering += 1
    let inRoom = true
    const leave = (): void => {
      if (inRoom) delivering -= 1
      inRoom = false
    }
    await claimAndDeliver(sender, effectId, leave).finally(leave)
  }

  /** Claims once: if that fails, the reconciler finds the delivery again. */
  const claimAndDeliver = async (
    to: WebhookSender,
    effectId: string,
    leave: () => void,
  ): Promise<void> => {
    const row = await register.effect(effectId)
    if (row?.spec.kind !== 'webhook.deliver') return
    const { runId, tenantId, spec: effect } = row
    const [first] = await register.events(runId, { limit: 1 })
    if ((await newerIn(async () => webhooksIn(first))) !== null) return
    const since = deps.clock.monotonic()
    const claims = [draftClaim(deps, effectId)]
    const result = await register.append({ runId, tenantId, claims })
    const claimed = result.claims[0]
    if (claimed?.code !== 'ok') return
    deps.views.noted(runId, result)
    const { threadId } = row
    const place = { runId, rootId: row.rootId ?? runId, threadId }
    const lease = { effectId, ...place, attempt: claimed.attempt, since, outlivesRun: true }
    const task = { row, effect, attempt: claimed.attempt }
    await deps.leases.hold(
      lease,
      (held) => performWebhook({ ...deps, sender: to }, task, held),
      async (outcome) => {
        leave()
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
