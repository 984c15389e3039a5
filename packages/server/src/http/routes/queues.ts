/** The queues that workers take tool calls from. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { inBounds } from '../audit/in-bounds.ts'
import { iso } from '../wire/iso.ts'

/** A queue in which the tenant has open calls. */
const Queue = z
  .object({
    queue: z.string(),
    /** Calls that a worker may take now. */
    waiting: z.number().int(),
    /** Since when the one that has waited longest may be taken, and how long that is; null if none waits. */
    oldest_waiting_at: z.string().nullable(),
    oldest_waiting_ms: z.number().int().nullable(),
    /** Calls that wait because their agent, their tool or the queue is paused. */
    paused: z.number().int(),
    /** Calls that may not be taken yet: the wait before another try. */
    delayed: z.number().int(),
    /** Calls that a worker has. */
    running: z.number().int(),
    /** Calls whose outcome is unknown: they wait for a human. */
    unknown: z.number().int(),
  })
  .openapi('Queue')

export function queueRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const list = createRoute({
    method: 'get',
    path: '/queues',
    tags: ['Runs'],
    summary: 'Lists the queues that have open tool calls, with what waits in each',
    responses: answers({ description: 'The queues, by name.', schema: z.array(Queue) }, [
      'question_too_broad',
    ]),
  })
  app.openapi(list, async (c) => {
    const { tenantId } = c.get('caller')
    const queues = await inBounds(() => api.read.queues(tenantId))
    const now = api.now()
    return reply(
      c,
      queues.map(({ oldestAt, ...queue }) => ({
        ...queue,
        oldest_waiting_at: oldestAt === null ? null : iso(oldestAt),
        oldest_waiting_ms: oldestAt === null ? null : Math.max(0, Math.round(now - oldestAt)),
      })),
    )
  })
}
