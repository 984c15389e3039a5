/** Many runs in one request: created together, cancelled together. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { CancelAction } from '../wire/cancel-action.ts'
import { Run, runView } from '../wire/run-view.ts'
import { createBatch, RunBatch } from '../../wires/langgraph/runs-batch.ts'
import { cancelRuns, RunsCancel } from '../../wires/langgraph/runs-cancel.ts'
import { createProblems, IdempotencyKey } from './run-creates.ts'

const tags = ['Runs']

export function runBatchRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const batch = createRoute({
    method: 'post',
    path: '/runs/batch',
    tags,
    summary: 'Creates runs, each on a new thread',
    request: { headers: IdempotencyKey, body: jsonBody(RunBatch) },
    responses: answers(
      { description: 'The runs, in the order of the request.', schema: z.array(Run) },
      createProblems,
    ),
  })
  app.openapi(batch, async (c) => {
    const items = c.req.valid('json')
    const idempotencyKey = c.req.header('idempotency-key')
    const heads = await createBatch(api, c.get('caller'), { items, idempotencyKey })
    return reply(
      c,
      heads.map((head) => runView(head, { parent: null, rerunOf: null, waiting: [] })),
    )
  })

  const cancel = createRoute({
    method: 'post',
    path: '/runs/cancel',
    tags,
    summary: 'Cancels runs of a thread: from the answer on, no new effect of them starts',
    request: { query: z.object({ action: CancelAction }), body: jsonBody(RunsCancel) },
    responses: {
      ...answers({ description: 'The cancels are durable.', status: 204 }, ['unknown_run']),
    },
  })
  app.openapi(cancel, async (c) => {
    await cancelRuns(api, c.get('caller'), {
      ...c.req.valid('json'),
      action: c.req.valid('query').action,
    })
    return c.body(null, 204)
  })
}
