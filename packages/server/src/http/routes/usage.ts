/** Usage of runs: tokens, money and calls, by user, agent and time. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import { type UsageGroup, type UsageKey, usageKeys } from '@signalbox/postgres'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { inBounds } from '../audit/in-bounds.ts'
import { Problem } from '../problem.ts'
import { groupBy } from '../wire/group-by.ts'
import { Instant, Limit, Term } from '../wire/ids.ts'

const By = groupBy(usageKeys, { default: 'agent', example: 'user,month' })

const Usage = z
  .object({
    by: z.array(z.enum(usageKeys)),
    /**
     * The values by key; `runs` created, `turns` answered (a request that was not sent is none), `calls` begun; `input_tokens`,
     * `cached_input_tokens` and `cache_write_tokens` (of these), `output_tokens`; `cost`, in the unit of the prices. By time in order,
     * then the dearest first.
     */
    groups: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
    /** Are there more groups than are shown? */
    truncated: z.boolean(),
  })
  .openapi('Usage')

export function usageRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const usage = createRoute({
    method: 'get',
    path: '/usage',
    tags: ['Audit'],
    summary: `Adds up tokens, money, calls and runs by up to ${limits.statsKeysMax} of: ${usageKeys.join(', ')}`,
    request: {
      query: z.strictObject({
        by: By,
        since: Instant,
        until: Instant,
        agent: z.union([Term, z.array(Term).max(limits.filterValuesMax)]).optional(),
        limit: Limit,
      }),
    },
    responses: answers({ description: 'What was used.', schema: Usage }, ['question_too_broad']),
  })
  app.openapi(usage, async (c) => {
    const { by, since, until, agent, limit = limits.statsGroupsMax } = c.req.valid('query')
    if (since !== undefined && until !== undefined && until <= since)
      throw new Problem('invalid_request', {
        detail: 'until: takes a time after `since`',
        field: 'until',
      })
    const { tenantId } = c.get('caller')
    const filter = {
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(agent === undefined ? {} : { agent }),
    }
    const groups = await inBounds(
      () => api.read.usage(tenantId, filter, by),
      'since, until or agent',
    )
    return reply(c, {
      by,
      groups: groups.slice(0, limit).map((group) => groupView(by, group)),
      truncated: groups.length > limit,
    })
  })
}

const million = 1_000_000

const groupView = (by: readonly UsageKey[], group: UsageGroup) => ({
  ...Object.fromEntries(by.map((key, n) => [key, group.values[n] ?? null])),
  runs: group.runs,
  turns: group.turns,
  calls: group.calls,
  input_tokens: group.inputTokens,
  cached_input_tokens: group.cachedInputTokens,
  cache_write_tokens: group.cacheWriteTokens,
  output_tokens: group.outputTokens,
  cost: group.cost / million,
})
