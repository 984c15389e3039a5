/** Writing into the state of a thread, and going back to an earlier one. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { editThread } from '../edit-thread.ts'
import { unknownThread } from '../find.ts'
import { ThreadPath } from '../wire/ids.ts'
import { Checkpoint, checkpointOf } from '../../wires/langgraph/checkpoint.ts'
import { StateUpdate } from '../../wires/langgraph/state-update.ts'
import { IdempotencyKey } from './run-creates.ts'

const Updated = z
  .object({
    checkpoint: Checkpoint,
    /** The same, as older clients read it. */
    configurable: Checkpoint,
  })
  .openapi('StateUpdated')

export function threadEditRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const update = createRoute({
    method: 'post',
    path: '/threads/{thread_id}/state',
    tags: ['Threads'],
    summary: 'Puts messages into a thread; with a checkpoint, goes back to it first',
    request: { params: ThreadPath, headers: IdempotencyKey, body: jsonBody(StateUpdate) },
    responses: answers({ description: 'The checkpoint that follows.', schema: Updated }, [
      'unknown_thread',
      'unknown_checkpoint',
      'idempotency_conflict',
      'thread_busy',
      'thread_full',
      'user_held',
    ]),
  })
  app.openapi(update, async (c) => {
    const { thread_id: threadId } = c.req.valid('param')
    const caller = c.get('caller')
    const thread = await api.read.thread(caller.tenantId, threadId)
    if (!thread) throw unknownThread(threadId)
    const id = await editThread(api, caller, {
      thread,
      update: c.req.valid('json'),
      idempotencyKey: c.req.header('idempotency-key'),
    })
    const checkpoint = checkpointOf(threadId, id)
    return reply(c, { checkpoint, configurable: checkpoint })
  })
}
