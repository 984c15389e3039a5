/** Saying something to a run that goes on. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { injectInput, injectProblems } from '../inject-input.ts'
import { messagesOf, RunInput } from '../wire/run-create.ts'
import { runAddresses } from './runs.ts'

const most = limits.injectedMessagesMax

const Injected = z
  .object({
    input: RunInput.refine(
      (input) => messagesOf(input).length <= most,
      `takes at most ${most} messages`,
    ),
  })
  .openapi('RunInput')

const InputAccepted = z
  .object({
    run_id: z.string(),
    thread_id: z.string(),
    /** Of the messages as they will stand in the thread. */
    message_ids: z.array(z.string()),
  })
  .openapi('InputAccepted')

const Key = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .openapi({ description: 'The same key and body are said to the run once.' }),
})

export function runInputRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { path, params } of runAddresses) {
    const route = createRoute({
      method: 'post',
      path: `${path}/input`,
      tags: ['Runs'],
      summary: 'Says something to a run that goes on: the model is shown it before its next turn',
      request: { params, headers: Key, body: jsonBody(Injected) },
      responses: answers(
        { description: 'It is in the log.', schema: InputAccepted, status: 202 },
        injectProblems,
      ),
    })
    app.openapi(route, async (c) => {
      const head = await findRun(api, c.get('caller'), c.req.valid('param'))
      const { input } = c.req.valid('json')
      const idempotencyKey = c.req.header('idempotency-key')
      const ids = await injectInput(api, c.get('caller'), { head, input, idempotencyKey })
      const { runId: run_id, threadId: thread_id } = head
      return reply(c, { run_id, thread_id, message_ids: ids }, { status: 202 })
    })
  }
}
