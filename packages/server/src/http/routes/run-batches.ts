/** Many runs in one request: created together, cancelled together. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { insistOn } from '../authorize.ts'
import { cancelFiltered, RunsCancelled } from '../cancel-runs.ts'
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
      heads.map((head) =>
        runView(head, { parent: null, rerunOf: null, retryOf: null, waiting: [] }),
      ),
    )
  })

  const cancel = createRoute({
    method: 'post',
    path: '/runs/cancel',
    tags,
    summary: 'Cancels runs of a thread, or those that a filter finds: no new effect of them starts',
    request: { query: z.object({ action: CancelAction }), body: jsonBody(RunsCancel) },
    responses: {
      ...answers({ description: 'With a filter: the runs.', schema: RunsCancelled }, [
        'unknown_run',
        'question_too_broad',
      ]),
      204: { description: 'The cancels are durable.' },
    },
  })
  app.openapi(cancel, async (c) => {
    const { action } = c.req.valid('query')
    const { filter, limit, dry_run: dryRun, thread_id: threadId, ...which } = c.req.valid('json')
    const caller = c.get('caller')
    if (filter) {
      // The answer shows runs.
      insistOn({ all: ['read'], any: [] }, caller)
      const { reason } = which
      return reply(c, await cancelFiltered(api, caller, { filter, limit, dryRun, action, reason }))
    }
    if (threadId === undefined) throw new Error('unreachable: there is a filter or a thread')
    const { tenantId } = caller
    const named = { ...which, thread_id: threadId, action }
    await api.cancels.during({ tenantId, threadId }, () => cancelRuns(api, caller, named))
    return c.body(null, 204)
  })
}
