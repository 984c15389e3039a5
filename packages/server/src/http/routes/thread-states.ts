/** The state of a thread: now, at a checkpoint, and every one there was. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv, Identified } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findThread } from '../find.ts'
import { Problem } from '../problem.ts'
import { Id, Limit, ThreadPath } from '../wire/ids.ts'
import { History, pastStates, stateAt } from '../../wires/langgraph/history.ts'
import { ThreadState } from '../../wires/langgraph/state.ts'
import { currentState } from '../../wires/langgraph/threads.ts'
import { textStream } from '../../stream/sse.ts'

const tags = ['Threads']
const good = { description: 'The state.', schema: ThreadState }
const stallMs = 60_000

export function threadStateRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const now = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/state',
    tags,
    summary: 'Gets the state of a thread',
    request: { params: ThreadPath },
    responses: answers(good, ['unknown_thread']),
  })
  app.openapi(now, async (c) => {
    const thread = await findThread(api, c.get('caller'), c.req.valid('param').thread_id)
    return reply(c, await currentState(api.read, thread))
  })
  checkpointRoutes(app, api)
  historyRoutes(app, api)
}

function checkpointRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const responses = answers(good, ['unknown_thread', 'unknown_checkpoint'])
  const byId = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/state/{checkpoint_id}',
    tags,
    summary: 'Gets the state of a thread at a checkpoint',
    request: { params: ThreadPath.extend({ checkpoint_id: Id }) },
    responses,
  })
  app.openapi(byId, async (c) => {
    const { thread_id, checkpoint_id } = c.req.valid('param')
    return reply(c, await stateAtCheckpoint(api, c.get('caller'), { thread_id, checkpoint_id }))
  })

  const Named = z.object({ checkpoint: z.object({ checkpoint_id: Id.nullish() }) })
  const byCheckpoint = createRoute({
    method: 'post',
    path: '/threads/{thread_id}/state/checkpoint',
    tags,
    summary: 'Gets the state of a thread at a checkpoint, named whole',
    request: { params: ThreadPath, body: jsonBody(Named) },
    responses,
  })
  app.openapi(byCheckpoint, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { checkpoint_id } = c.req.valid('json').checkpoint
    const caller = c.get('caller')
    if (checkpoint_id)
      return reply(c, await stateAtCheckpoint(api, caller, { thread_id, checkpoint_id }))
    // A checkpoint that names its thread alone is the last one.
    return reply(c, await currentState(api.read, await findThread(api, caller, thread_id)))
  })
}

async function stateAtCheckpoint(
  api: Api,
  caller: Identified,
  place: { readonly thread_id: string; readonly checkpoint_id: string },
): Promise<ThreadState> {
  const { thread_id: threadId, checkpoint_id: id } = place
  const thread = await findThread(api, caller, threadId)
  const state = await stateAt(api.read, thread, id)
  if (state) return state
  throw new Problem('unknown_checkpoint', {
    detail: `The thread ${threadId} has no checkpoint ${id}. GET /threads/${threadId}/history lists them.`,
    field: 'checkpoint_id',
  })
}

function historyRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const base = {
    path: '/threads/{thread_id}/history',
    tags,
    summary: 'Lists the states of a thread, newest first',
    responses: answers({ description: 'States.', schema: z.array(ThreadState) }, [
      'unknown_thread',
    ]),
  }
  const answer = async (caller: Identified, threadId: string, asked: History) => {
    const thread = await findThread(api, caller, threadId)
    const states = await pastStates(api.read, thread, asked)
    return new Response(
      textStream(jsonArray(states), { stallMs, onGone: () => {}, log: api.log }),
      {
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      },
    )
  }
  const query = z.object({ limit: Limit, before: Id.optional() })
  const get = createRoute({ ...base, method: 'get', request: { params: ThreadPath, query } })
  app.openapi(get, (c) => {
    const asked = History.safeParse(c.req.valid('query'))
    if (asked.success) return answer(c.get('caller'), c.req.valid('param').thread_id, asked.data)
    throw new Problem('invalid_request', {
      detail: 'before: takes the id of a checkpoint',
      field: 'before',
    })
  })
  const request = { params: ThreadPath, body: jsonBody(History, false) }
  const post = createRoute({ ...base, method: 'post', request })
  app.openapi(post, (c) =>
    answer(
      c.get('caller'),
      c.req.valid('param').thread_id,
      // Without a body nothing was validated, so nothing has its default yet.
      History.parse(c.req.valid('json')),
    ),
  )
}

/** One value after the other: a page of long states is never held as one text. */
async function* jsonArray(values: Iterable<unknown>): AsyncGenerator<string, void, undefined> {
  let before = '['
  for (const value of values) {
    yield before + JSON.stringify(value)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
