/** Threads: conversations, each over many runs. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findThread } from '../find.ts'
import { Problem } from '../problem.ts'
import { Id, Limit, Offset, ThreadPath } from '../wire/ids.ts'
import { notYet } from '../wire/not-yet.ts'
import { Metadata } from '../wire/run-create.ts'
import { ThreadTtl } from '../wire/thread-ttl.ts'
import { Thread, shownTo, threadView } from '../wire/thread-view.ts'
import { paginationHeaders } from '../../wires/langgraph/pagination.ts'
import {
  ThreadCount,
  threadFilter,
  threadPage,
  ThreadSearch,
  threadWithState,
  wantsValues,
} from '../../wires/langgraph/threads.ts'

const pageDefault = 20

const ThreadCreate = z
  .object({
    thread_id: Id.optional(),
    metadata: Metadata.optional(),
    /** What happens if the thread is there. */
    if_exists: z.enum(['raise', 'do_nothing']).default('raise'),
    supersteps: notYet('Copy a thread, or write messages with POST /threads/{thread_id}/state.'),
    /** Deletes the thread when nobody has used it for so many minutes. */
    ttl: ThreadTtl,
    /** `off`: a private conversation, of which nothing is remembered, and in which nothing that is known of its user is shown. */
    memory: z.enum(['on', 'off']).optional(),
  })
  .openapi('ThreadCreate')

const tags = ['Threads']

export function threadRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const create = createRoute({
    method: 'post',
    path: '/threads',
    tags,
    summary: 'Creates a thread',
    request: { body: jsonBody(ThreadCreate, false) },
    responses: answers({ description: 'The thread.', schema: Thread }, [
      'thread_exists',
      'not_available',
    ]),
  })
  app.openapi(create, async (c) => {
    const asked = ThreadCreate.parse(c.req.valid('json'))
    const { thread_id, metadata = {}, if_exists } = asked
    const { tenantId, scopes } = c.get('caller')
    const threadId = thread_id ?? api.random.uuid()
    const contentKey = api.random.hex(32)
    const wanted = { threadId, tenantId, metadata, createdAt: api.now(), contentKey }
    const stands = await api.threads.ensureThread({ ...wanted, ttlMinutes: asked.ttl ?? null })
    const isNew = stands?.contentKey === contentKey
    if (!stands || stands.isMemory || (!isNew && if_exists === 'raise'))
      throw new Problem('thread_exists', {
        detail: `The thread ${threadId} is there already. Use if_exists: "do_nothing" to get it.`,
        field: 'thread_id',
      })
    if (isNew && asked.memory === 'off') await api.threads.setMemory({ tenantId, threadId }, true)
    const thread = await api.read.thread(tenantId, threadId)
    const bare = { status: 'idle', ttl: null, title: null, isPrivate: false } as const
    const made = thread ?? { ...stands, ...bare, updatedAt: stands.createdAt }
    return reply(c, threadView(shownTo(scopes, made)))
  })

  const list = createRoute({
    method: 'get',
    path: '/threads',
    tags,
    summary: 'Lists threads, newest first',
    request: { query: z.object({ limit: Limit, offset: Offset }) },
    responses: answers({ description: 'A page of threads.', schema: z.array(Thread) }),
  })
  app.openapi(list, async (c) => {
    const { limit = pageDefault, offset = 0 } = c.req.valid('query')
    const threads = await api.read.threads(c.get('caller').tenantId, { limit, offset })
    return reply(
      c,
      threads.map((thread) => threadView(thread)),
    )
  })

  const get = createRoute({
    method: 'get',
    path: '/threads/{thread_id}',
    tags,
    summary: 'Gets a thread',
    request: { params: ThreadPath },
    responses: answers({ description: 'The thread.', schema: Thread }, ['unknown_thread']),
  })
  app.openapi(get, async (c) => {
    const { thread_id: threadId } = c.req.valid('param')
    const thread = await findThread(api, c.get('caller'), threadId)
    return reply(c, await threadWithState(api.read, thread))
  })
  searchRoutes(app, api)
}

function searchRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const search = createRoute({
    method: 'post',
    path: '/threads/search',
    tags,
    summary: 'Searches threads, newest first unless asked otherwise',
    request: { body: jsonBody(ThreadSearch, false) },
    responses: answers({ description: 'A page of threads.', schema: z.array(Thread) }, [
      'not_available',
    ]),
  })
  app.openapi(search, async (c) => {
    const asked = ThreadSearch.parse(c.req.valid('json'))
    const { tenantId } = c.get('caller')
    const filter = threadFilter(asked)
    const [found, total] = await Promise.all([
      api.read.threads(tenantId, { ...filter, ...threadPage(asked) }),
      api.read.threadCount(tenantId, filter),
    ])
    const threads: Thread[] = []
    // One after the other: what was said in a thread may be long.
    for (const thread of found)
      threads.push(
        wantsValues(asked) ? await threadWithState(api.read, thread) : threadView(thread),
      )
    return reply(c, threads, { headers: paginationHeaders(asked, total) })
  })

  const count = createRoute({
    method: 'post',
    path: '/threads/count',
    tags,
    summary: 'Counts threads',
    request: { body: jsonBody(ThreadCount, false) },
    responses: answers({ description: 'How many there are.', schema: z.number().int() }, [
      'not_available',
    ]),
  })
  app.openapi(count, async (c) => {
    const filter = threadFilter(ThreadCount.parse(c.req.valid('json')))
    return reply(c, await api.read.threadCount(c.get('caller').tenantId, filter))
  })
}
