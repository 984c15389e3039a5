/** The OpenAPI document, which describes itself too. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'

const OpenApi = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
})

/** Serves the document. It is asked for when all routes are there. */
export function documentRoute(app: OpenAPIHono<ApiEnv>, document: () => object): void {
  const route = createRoute({
    method: 'get',
    path: '/openapi.json',
    tags: ['Meta'],
    summary: 'This document: every operation, in OpenAPI 3.1',
    responses: answers({ description: 'The document.', schema: OpenApi }),
  })
  app.openapi(route, (c) => reply(c, document()))
}
