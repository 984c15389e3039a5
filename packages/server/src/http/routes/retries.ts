/** Retrying runs: what one was asked is asked once more, and executes. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { runHeaders, runLocation } from '../long-answers.ts'
import { retryRun } from '../retry-run.ts'
import { retryRuns, RunsRetried, RunsRetry } from '../retry-runs.ts'
import { runDocument } from '../run-document.ts'
import { Flag } from '../wire/ids.ts'
import { Run } from '../wire/run-view.ts'
import { IdempotencyKey } from './run-creates.ts'
import { runAddresses } from './runs.ts'

const tags = ['Runs']

/** Retries it once more, though it was retried before. */
const Query = z.object({ again: Flag })

export function retryRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const bulk = createRoute({
    method: 'post',
    path: '/runs/retry',
    tags,
    summary: 'Retries runs that have ended: those that are named, or those that a filter finds',
    request: { headers: IdempotencyKey, body: jsonBody(RunsRetry) },
    responses: answers({ description: 'What became of each.', schema: RunsRetried }, [
      'question_too_broad',
    ]),
  })
  app.openapi(bulk, async (c) => {
    const asked = { ...c.req.valid('json'), idempotencyKey: c.req.header('idempotency-key') }
    return reply(c, await retryRuns(api, c.get('caller'), asked))
  })
  for (const { path, params } of runAddresses) {
    const retry = createRoute({
      method: 'post',
      path: `${path}/retry`,
      tags,
      summary:
        'Asks once more, on the same thread, what a run that has ended was asked: its calls execute',
      request: { params, headers: IdempotencyKey, query: Query },
      responses: answers({ description: 'The new run.', schema: Run, headers: runHeaders }, [
        'unknown_run',
        'unknown_agent',
        'unknown_thread',
        'unknown_checkpoint',
        'assistant_outdated',
        'run_not_ended',
        'retry_refused',
        'idempotency_conflict',
        'thread_busy',
        'thread_full',
        'user_held',
      ]),
    })
    app.openapi(retry, async (c) => {
      const caller = c.get('caller')
      const { again = false } = c.req.valid('query')
      const { runId } = await retryRun(api, caller, {
        head: await findRun(api, caller, c.req.valid('param')),
        again,
        idempotencyKey: c.req.header('idempotency-key'),
      })
      const head = await findRun(api, caller, { run_id: runId })
      const headers = { 'content-location': runLocation(head) }
      return reply(c, await runDocument(api.read, head, []), { headers })
    })
  }
}
