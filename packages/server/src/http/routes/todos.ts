/** The plan of the model in a thread, now or at a checkpoint. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { Todo } from '@signalbox/core'
import { CheckpointId, parseCheckpointId } from '../../wires/langgraph/checkpoint.ts'
import { plansOf } from '../../wires/langgraph/plan.ts'
import { threadEvents } from '../../wires/langgraph/state.ts'
import { stepHeads } from '../../wires/langgraph/state-steps.ts'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { unknownThread } from '../find.ts'
import { Problem } from '../problem.ts'
import { ThreadPath } from '../wire/ids.ts'

const ThreadTodos = z
  .object({
    /** In the order in which the model wrote them; empty where it wrote none. */
    todos: z.array(z.object(Todo.shape).openapi('Todo')),
    /** The checkpoint that they stand at; null where nothing was decided yet. */
    checkpoint_id: z.string().nullable(),
  })
  .openapi('ThreadTodos')

const TodosAt = z.object({
  /** A checkpoint of the thread: the plan as it was then. */
  at: CheckpointId.optional(),
})

export function todoRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const todos = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/todos',
    tags: ['Threads'],
    summary: 'Shows the plan that the model keeps in a thread, now or at a checkpoint',
    request: { params: ThreadPath, query: TodosAt },
    responses: answers({ description: 'The plan.', schema: ThreadTodos }, [
      'unknown_thread',
      'unknown_checkpoint',
    ]),
  })
  app.openapi(todos, async (c) => {
    const { thread_id: threadId } = c.req.valid('param')
    const { at } = c.req.valid('query')
    const thread = await api.read.thread(c.get('caller').tenantId, threadId)
    if (!thread) throw unknownThread(threadId)
    const through = at === undefined ? null : parseCheckpointId(at)
    const events = await threadEvents(api.read, thread, through ?? undefined)
    const heads = stepHeads(events)
    const step = at === undefined ? heads.at(-1) : heads.find(({ id }) => id === at)
    if (at !== undefined && !step)
      throw new Problem('unknown_checkpoint', {
        detail: `The thread ${threadId} has no checkpoint ${at}. GET /threads/${threadId}/history lists them.`,
        field: 'at',
      })
    const plan = step ? (plansOf(events, heads).get(step.id) ?? []) : []
    return reply(c, { todos: plan, checkpoint_id: step?.id ?? null })
  })
}
