/** The explanation of a run: why each of its calls ran or did not, as a document or as a page to read. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { explanationPage } from '@signalbox/core'
import type { Context } from 'hono'
import { answers, reply } from '../answers.ts'
import type { Api, ApiEnv } from '../api.ts'
import { findRun } from '../find.ts'
import { wholeLog } from '../whole-log.ts'
import { explanationOf, RunExplanation } from '../wire/run-explanation.ts'
import { runAddresses } from './runs.ts'

const types = ['application/json', 'text/markdown', 'text/plain'] as const

export function explanationRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { path, params } of runAddresses) {
    const explanation = createRoute({
      method: 'get',
      path: `${path}/explanation`,
      tags: ['Audit'],
      summary: 'Explains for each call of a run why it ran or did not, from its events alone',
      request: { params },
      responses: answers({ description: 'The explanation.', schema: RunExplanation, types }, [
        'unknown_run',
      ]),
    })
    app.openapi(explanation, async (c) => {
      const head = await findRun(api, c.get('caller'), c.req.valid('param'))
      const explained = explanationOf(head, await wholeLog(api, head))
      const type = wantedType(c)
      if (type === 'application/json') return reply(c, explained)
      return c.newResponse(explanationPage(explained), 200, {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'no-store',
      })
    })
  }
}

/** The first that the Accept header names and there is; JSON without one. */
function wantedType(c: Context): (typeof types)[number] {
  const accepted = (c.req.header('accept') ?? '')
    .split(',')
    .map((range) => range.split(';')[0]?.trim().toLowerCase())
  return types.find((type) => type === accepted.find((range) => isOne(range))) ?? types[0]
}

const isOne = (range: string | undefined): boolean => types.some((type) => type === range)
