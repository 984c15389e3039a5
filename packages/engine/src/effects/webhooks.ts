/** Delivers webhooks, on orchestrators: after the decision, or when the reconciler finds one that is due. */
import type { WebhookEffect } from '@signalbox/core'
import { performWebhook, type WebhookDeps, webhooksIn } from '../perform/webhook.ts'
import type { WebhookSender } from '../ports.ts'
import type { LoopDeps, Performer } from './loop.ts'
import { type Noted, outliving, performInRoom } from './outliving.ts'
import type { RowOf } from './row.ts'

export type WebhooksDeps = Omit<WebhookDeps, 'sender'> &
  LoopDeps & {
    /** Null: this process reaches nobody, others do. */
    readonly sender: WebhookSender | null
  }

/** Delivers one, if there is room: otherwise the register looks again. */
export function createDelivery(deps: WebhooksDeps): (effectId: string) => Promise<void> {
  const { settings, sender } = deps
  if (!sender) return async () => {}
  return performInRoom(deps, {
    kind: 'webhook.deliver',
    most: settings.webhookConcurrency,
    performer: (leave) => webhookPerformer({ ...deps, sender }, leave),
  })
}

const webhookPerformer = (
  deps: WebhooksDeps & { readonly sender: WebhookSender },
  leave: () => void,
): Performer<RowOf<WebhookEffect>, unknown, Noted> => ({
  ...outliving(deps, leave),
  givenUp: 'a webhook was not delivered',
  async read({ runId }) {
    const [first] = await deps.register.events(runId, { limit: 1 })
    return webhooksIn(first)
  },
  perform: (row, { attempt }, held) =>
    performWebhook(deps, { row, effect: row.spec, attempt }, held),
})
