/** The context of a thread, as a model is shown it, and having the old part of it summed up. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { compactThread } from '../compact-thread.ts'
import { unknownThread } from '../find.ts'
import { Event, eventView } from '../wire/event-view.ts'
import { ThreadPath } from '../wire/ids.ts'
import { contextOf, ThreadContext } from '../wire/thread-context.ts'
import { threadEvents } from '../../wires/langgraph/state.ts'
import { IdempotencyKey } from './run-creates.ts'

const ThreadCompact = z
  .strictObject({
    /** The instructions of a user on what to keep, behind those that every summary follows. */
    instructions: z.string().min(1).max(limits.instructionsCharsMax).optional(),
  })
  .openapi('ThreadCompact')

const Compacted = z
  .object({
    run_id: z.string(),
    /** `context.compacted`, or `context.unchanged`, whose `reason` says why there is no summary. */
    // A reference that is nullable is not written as one.
    event: z.union([Event, z.null()]),
  })
  .openapi('ThreadCompacted')

const tags = ['Threads']

export function threadContextRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const context = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/context',
    tags,
    summary: 'Tells what a model is shown of a thread: how much, and what was left out',
    request: { params: ThreadPath },
    responses: answers({ description: 'The context.', schema: ThreadContext }, ['unknown_thread']),
  })
  app.openapi(context, async (c) => {
    const { thread_id: threadId } = c.req.valid('param')
    const { tenantId } = c.get('caller')
    const thread = await api.read.thread(tenantId, threadId)
    if (!thread) throw unknownThread(threadId)
    const events = await threadEvents(api.read, thread)
    const [last] = await api.read.runs(tenantId, { threadId, limit: 1 })
    return reply(c, contextOf(threadId, events, api.agents.get(last?.agent ?? '') ?? null))
  })

  const compact = createRoute({
    method: 'post',
    path: '/threads/{thread_id}/compact',
    tags,
    summary: 'Has what is before the newest turns of a thread summed up, and waits for it',
    request: { params: ThreadPath, headers: IdempotencyKey, body: jsonBody(ThreadCompact, false) },
    responses: answers(
      {
        description: 'The event that holds the summary, or says why there is none.',
        schema: Compacted,
      },
      [
        'unknown_thread',
        'unknown_agent',
        'idempotency_conflict',
        'thread_busy',
        'thread_full',
        'user_held',
        'nothing_to_compact',
      ],
    ),
  })
  app.openapi(compact, async (c) => {
    const { thread_id: threadId } = c.req.valid('param')
    const caller = c.get('caller')
    const thread = await api.read.thread(caller.tenantId, threadId)
    if (!thread) throw unknownThread(threadId)
    const { instructions } = ThreadCompact.parse(c.req.valid('json'))
    const { runId, event } = await compactThread(api, caller, {
      thread,
      instructions,
      idempotencyKey: c.req.header('idempotency-key'),
    })
    return reply(c, { run_id: runId, event: event && eventView(event) })
  })
}
