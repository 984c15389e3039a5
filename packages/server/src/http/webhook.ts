/** The `webhook` of a create: an address that this server can sign for, and would reach. */
import { webhookRefusal } from '../webhooks/refusal.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import { Problem } from './problem.ts'

/** What a create may take. Throws a `Problem`, which never quotes the address. */
export function checkWebhook(
  { secrets, reach }: WebhookSettings,
  address: string | null | undefined,
): { readonly webhook?: string } {
  if (address === undefined || address === null) return {}
  if (secrets.length === 0)
    throw new Problem('not_available', {
      detail:
        'This server signs no webhooks. Set SIGNALBOX_WEBHOOK_SECRET, or webhooks.secretEnv, or follow the run with /stream or /join.',
      field: 'webhook',
    })
  const refusal = webhookRefusal(new URL(address), reach)
  if (refusal !== null)
    throw new Problem('webhook_refused', { detail: `webhook: ${refusal}.`, field: 'webhook' })
  return { webhook: address }
}
