/** The report of a run: what became of its calls. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { decisionSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { Artifacts } from '../../files/artifacts.ts'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { wholeLog } from '../whole-log.ts'
import { iso } from '../wire/iso.ts'
import { callsIn, countsOf, RunReport } from '../wire/run-report.ts'
import { usageIn } from '../wire/run-usage.ts'
import { runAddresses } from './runs.ts'

export function reportRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { path, params } of runAddresses) {
    const report = createRoute({
      method: 'get',
      path: `${path}/report`,
      tags: ['Runs'],
      summary: 'Tells what became of the calls of a run: finished, never started, unknown',
      request: { params },
      responses: answers({ description: 'The report.', schema: RunReport }, ['unknown_run']),
    })
    app.openapi(report, async (c) => {
      const head = await findRun(api, c.get('caller'), c.req.valid('param'))
      const events = await wholeLog(api, head)
      const calls = callsIn(events, head.outcome)
      return reply(c, {
        run_id: head.runId,
        thread_id: head.threadId,
        outcome: head.outcome,
        cancel: cancelIn(events),
        counts: countsOf(calls),
        calls,
        usage: usageIn(events),
        ...artifactsIn(events),
        todos_open: openIn(events),
      })
    })
  }
}

function artifactsIn(events: readonly StoredEvent[]) {
  const artifacts = new Artifacts()
  for (const event of events) artifacts.take(event)
  return { artifacts: [...artifacts.list()], artifacts_more: artifacts.more }
}

function openIn(events: readonly StoredEvent[]): number {
  const newest = events.findLast(({ type, salt }) => type === 'todo.written' && salt !== '')
  return newest ? decisionSchemas['todo.written'].parse(newest.payload).open : 0
}

function cancelIn(events: readonly StoredEvent[]) {
  const asked = events.find(({ type }) => type === 'cancel.requested')
  if (!asked) return null
  const { action, reason } = asked.payload
  return {
    action: typeof action === 'string' ? action : 'erased',
    reason: typeof reason === 'string' ? reason : null,
    actor: asked.actor,
    at: iso(asked.at),
  }
}
