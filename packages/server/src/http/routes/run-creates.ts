/** Creating runs: in the background, streamed, or waited for; on a thread, or with one of their own. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { RunHead } from '@signalbox/engine'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { createRun } from '../create-run.ts'
import { findRun } from '../find.ts'
import { runLocation, streamResponse, waitResponse } from '../long-answers.ts'
import type { ProblemCode } from '../problem-codes.ts'
import { ThreadPath } from '../wire/ids.ts'
import { RunCreate } from '../wire/run-create.ts'
import { Run, runView } from '../wire/run-view.ts'
import { Values } from '../wire/values.ts'

const tags = ['Runs']
const problems: readonly ProblemCode[] = [
  'unknown_agent',
  'unknown_thread',
  'idempotency_conflict',
  'not_available',
  'thread_full',
  'user_held',
]

const IdempotencyKey = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .openapi({ description: 'The same key and body give the same run. An alias of the run id.' }),
})

const places = [
  { path: '/threads/{thread_id}/runs', params: ThreadPath, where: 'on a thread' },
  { path: '/runs', params: z.object({}), where: 'on a new thread' },
]

export function runCreateRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { path, params, where } of places) {
    const request = { params, headers: IdempotencyKey, body: jsonBody(RunCreate) }
    const route = (suffix: string, summary: string, responses: ReturnType<typeof answers>) =>
      createRoute({ method: 'post', path: `${path}${suffix}`, tags, summary, request, responses })

    const inBackground = answers({ description: 'The run.', schema: Run }, problems)
    app.openapi(route('', `Creates a run ${where}`, inBackground), async (c) => {
      const head = await create(api, c, c.req.valid('json'))
      return reply(c, runView(head, []), { headers: { 'content-location': runLocation(head) } })
    })

    const waited = answers({ description: 'What it came to.', schema: Values }, problems)
    app.openapi(route('/wait', `Creates a run ${where} and waits for it`, waited), async (c) =>
      waitResponse(api, await create(api, c, c.req.valid('json'))),
    )

    const streamed = answers(
      { description: 'Its events.', schema: z.string(), types: ['text/event-stream'] },
      [...problems, 'too_many_streams'],
    )
    app.openapi(route('/stream', `Creates a run ${where} and streams it`, streamed), async (c) =>
      streamResponse(api, await create(api, c, c.req.valid('json')), 0),
    )
  }
}

async function create(api: Api, c: Context<ApiEnv>, body: RunCreate): Promise<RunHead> {
  const caller = c.get('caller')
  const { runId } = await createRun(api, caller, {
    body,
    threadId: c.req.param('thread_id') ?? null,
    idempotencyKey: c.req.header('idempotency-key'),
  })
  return findRun(api, caller, { run_id: runId })
}
