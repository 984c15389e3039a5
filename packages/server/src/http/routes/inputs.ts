/** Questions of models that wait for a person: list them, answer one. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answerInput, InputAccepted, inputProblems } from '../answer-input.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { nextLink } from '../next-link.ts'
import { Id, Limit } from '../wire/ids.ts'
import { InputAnswer, ListedInput, listedInput } from '../wire/input-view.ts'

const tags = ['Humans']
const pageDefault = 100

const Query = z.object({
  /** Questions of this run, and of the runs below it. */
  run_id: Id.optional(),
  limit: Limit,
  after: z
    .string()
    .regex(
      /^\d{15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_\d{1,9}$/,
      'takes the position of a question',
    )
    .optional(),
})

export function inputRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const list = createRoute({
    method: 'get',
    path: '/inputs',
    tags,
    summary: 'Lists questions of models that wait for a person, oldest first',
    request: { query: Query },
    responses: answers({ description: 'A page of questions.', schema: z.array(ListedInput) }),
  })
  app.openapi(list, async (c) => {
    const { run_id, after, limit = pageDefault } = c.req.valid('query')
    const { tenantId } = c.get('caller')
    const run = run_id === undefined ? null : await api.read.run(tenantId, run_id)
    if (run_id !== undefined && !run) return reply(c, [])
    const found = await api.read.inputs(tenantId, {
      limit,
      ...(run ? { treeOf: run.runId } : {}),
      ...(after === undefined ? {} : { after }),
    })
    const next = found.length === limit ? found.at(-1)?.position : undefined
    const headers = next === undefined ? {} : { link: nextLink(c.req.url, next) }
    return reply(c, found.map(listedInput), { headers })
  })

  const answer = createRoute({
    method: 'post',
    path: '/runs/{run_id}/inputs/{call_id}',
    tags,
    summary: 'Answers a question of the model: the first answer stands, and the same run goes on',
    request: { params: z.object({ run_id: Id, call_id: Id }), body: jsonBody(InputAnswer) },
    responses: answers({ description: 'The answer stands.', schema: InputAccepted }, [
      'unknown_run',
      ...inputProblems,
    ]),
  })
  app.openapi(answer, async (c) => {
    const { run_id, call_id: callId } = c.req.valid('param')
    const caller = c.get('caller')
    const { runId } = await findRun(api, caller, { run_id })
    const question = { runId, callId, field: 'call_id', at: '' }
    return reply(c, await answerInput(api, caller, { question, said: c.req.valid('json') }))
  })
}
