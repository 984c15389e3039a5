/** Repeating runs: what would have come of one with another model, or other guardrails? */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { runHeaders, runLocation } from '../long-answers.ts'
import { rerunRun } from '../rerun-run.ts'
import { runDocument } from '../run-document.ts'
import { RunRerun } from '../wire/run-rerun.ts'
import { Run } from '../wire/run-view.ts'
import { IdempotencyKey } from './run-creates.ts'
import { runAddresses } from './runs.ts'

export function rerunRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { path, params } of runAddresses) {
    const rerun = createRoute({
      method: 'post',
      path: `${path}/rerun`,
      tags: ['Runs'],
      summary: 'Repeats a run that has ended, on a new thread: recorded results answer its calls',
      request: { params, headers: IdempotencyKey, body: jsonBody(RunRerun) },
      responses: answers({ description: 'The new run.', schema: Run, headers: runHeaders }, [
        'unknown_run',
        'unknown_agent',
        'unknown_thread',
        'assistant_outdated',
        'run_not_ended',
        'rerun_refused',
        'idempotency_conflict',
        'user_held',
        'webhook_refused',
      ]),
    })
    app.openapi(rerun, async (c) => {
      const caller = c.get('caller')
      const { runId } = await rerunRun(api, caller, {
        head: await findRun(api, caller, c.req.valid('param')),
        body: c.req.valid('json'),
        idempotencyKey: c.req.header('idempotency-key'),
      })
      const head = await findRun(api, caller, { run_id: runId })
      const headers = { 'content-location': runLocation(head) }
      return reply(c, await runDocument(api.read, head, []), { headers })
    })
  }
}
