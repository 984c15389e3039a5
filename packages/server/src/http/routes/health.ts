/** What every process answers, whatever its roles: its health and its metrics. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { problemResponse } from '../problem.ts'

const tags = ['Meta']
/** A health check that takes longer has failed. */
const pingMsMax = 2000

const Health = z
  .object({
    /** The word of LangGraph's server. */
    ok: z.literal(true),
    status: z.literal('ok'),
    roles: z.array(z.string()),
  })
  .openapi('Health')

export function healthRoutes(
  app: OpenAPIHono<ApiEnv>,
  api: Pick<Api, 'ping' | 'roles' | 'metrics'>,
): void {
  const ok = createRoute({
    method: 'get',
    path: '/ok',
    tags,
    summary: 'Can this process do its work?',
    responses: answers({ description: 'Yes.', schema: Health }, [
      'register_unavailable',
      'shutting_down',
    ]),
  })
  app.openapi(ok, async (c) => {
    if (await answersInTime(api)) return reply(c, { ok: true, status: 'ok', roles: api.roles })
    return problemResponse('register_unavailable', {
      detail: 'Postgres does not answer.',
      headers: { 'retry-after': '2' },
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

async function answersInTime(api: Pick<Api, 'ping'>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), pingMsMax)
  })
  const answered = api.ping().then(
    () => true,
    () => false,
  )
  return Promise.race([answered, late]).finally(() => clearTimeout(timer))
}
