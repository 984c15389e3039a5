/** The webhooks of a run: what was delivered, when and how; and asking for a delivery once more. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { RunHead } from '@signalbox/engine'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { Problem } from '../problem.ts'
import { wholeLog } from '../whole-log.ts'
import { Id, ThreadRunPath } from '../wire/ids.ts'
import { webhookDeliveries, WebhookDelivery } from '../wire/webhook-view.ts'

const tags = ['Webhooks']
const path = '/threads/{thread_id}/runs/{run_id}/webhooks'

export function webhookRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  listRoute(app, api)
  replayRoute(app, api)
}

function listRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const list = createRoute({
    method: 'get',
    path,
    tags,
    summary: 'Lists the webhooks of a run, with each attempt to deliver them',
    request: { params: ThreadRunPath },
    responses: answers({ description: 'Deliveries.', schema: z.array(WebhookDelivery) }, [
      'unknown_run',
    ]),
  })
  app.openapi(list, async (c) => {
    const head = await findRun(api, c.get('caller'), c.req.valid('param'))
    return reply(c, await deliveriesOf(api, head))
  })
}

function replayRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const replay = createRoute({
    method: 'post',
    path: `${path}/{delivery_id}/replay`,
    tags,
    summary: 'Delivers a webhook once more, under the same id',
    request: { params: ThreadRunPath.extend({ delivery_id: Id }) },
    responses: answers({ description: 'It is due again.', schema: WebhookDelivery, status: 202 }, [
      'unknown_run',
      'unknown_webhook',
      'webhook_under_way',
    ]),
  })
  app.openapi(replay, async (c) => {
    const { delivery_id: effectId, ...address } = c.req.valid('param')
    const caller = c.get('caller')
    const head = await findRun(api, caller, address)
    const code = await api.commands.replayWebhook({ ...caller, runId: head.runId, effectId })
    if (code === 'under_way')
      throw new Problem('webhook_under_way', {
        detail: `The delivery ${effectId} is not over: it is under way, or will be tried again.`,
      })
    const found = (await deliveriesOf(api, head)).find((each) => each.delivery_id === effectId)
    if (code === 'unknown' || !found) throw unknownWebhook(effectId)
    if (code === 'rejected')
      throw new Problem('webhook_under_way', {
        detail: 'The log of the run is full: nothing more can be written about it.',
      })
    return reply(c, found, { status: 202 })
  })
}

const unknownWebhook = (id: string): Problem =>
  new Problem('unknown_webhook', {
    detail: `The run has no delivery ${id}. GET …/webhooks lists those it has.`,
    field: 'delivery_id',
  })

const deliveriesOf = async (
  api: Pick<Api, 'read'>,
  head: RunHead,
): Promise<readonly WebhookDelivery[]> => webhookDeliveries(await wholeLog(api, head))
