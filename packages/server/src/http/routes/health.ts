/** What every process answers, whatever its roles: its health and its metrics. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { problemResponse } from '../problem.ts'
import { troubleDetails } from '../register-errors.ts'

const tags = ['Meta']
const retryAfter = { 'retry-after': '2' }

const HealthCheck = z
  .object({
    ok: z.boolean(),
    /** What is not needed is shown, and keeps the process from nothing. */
    needed: z.boolean(),
    why: z.string().optional(),
  })
  .openapi('HealthCheck')

const Health = z
  .object({
    /** The word of LangGraph's server. */
    ok: z.literal(true),
    status: z.literal('ok'),
    roles: z.array(z.string()),
    /** By name: `register`, `schema`, `feed`, `writes`, `reconciler`, `queue`, `bus`, as far as the roles have them. */
    checks: z.record(z.string(), HealthCheck),
  })
  .openapi('Health')

const Live = z.object({ ok: z.literal(true), status: z.literal('ok') }).openapi('Live')

type Parts = Pick<Api, 'health' | 'roles' | 'metrics'>

export function healthRoutes(app: OpenAPIHono<ApiEnv>, api: Parts): void {
  // `/ok` is the word of LangGraph's server for the same.
  for (const path of ['/ready', '/ok']) {
    const ready = createRoute({
      method: 'get',
      path,
      tags,
      summary: 'Can this process do all of its work?',
      responses: answers({ description: 'Yes.', schema: Health }, [
        'register_unavailable',
        'register_full',
        'register_read_only',
        'not_ready',
        'shutting_down',
      ]),
    })
    app.openapi(ready, async (c) => {
      const { ready: isReady, trouble, checks } = await api.health.ready()
      if (isReady) return reply(c, { ok: true, status: 'ok', roles: api.roles, checks })
      const lacks = Object.entries(checks).flatMap(([name, { ok, needed, why }]) =>
        ok || !needed ? [] : [`${name}: ${why}`],
      )
      return problemResponse(trouble ?? 'not_ready', {
        detail: trouble === null ? lacks.join(' ') : troubleDetails[trouble],
        headers: retryAfter,
        more: { checks },
      })
    })
  }

  const live = createRoute({
    method: 'get',
    path: '/live',
    tags,
    summary: 'Can this process go on? If not, only a restart helps it',
    responses: answers({ description: 'Yes.', schema: Live }, ['process_stuck']),
  })
  app.openapi(live, async (c) => {
    if (await api.health.live()) return reply(c, { ok: true, status: 'ok' })
    return problemResponse('process_stuck', {
      detail: 'The reconciler does not come round, though Postgres answers. Restart this process.',
    })
  })

  const metrics = createRoute({
    method: 'get',
    path: '/metrics',
    tags,
    summary: 'Metrics, in the text format of Prometheus',
    responses: answers({ description: 'Metrics.', schema: z.string(), types: ['text/plain'] }),
  })
  app.openapi(metrics, async () => {
    const { contentType, text } = await api.metrics()
    return new Response(text, { headers: { 'content-type': contentType } })
  })
}
