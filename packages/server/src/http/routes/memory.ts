/** Memories of those whom runs work for: read, written, paused, exported and erased. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { dropItem, eraseSubject, putItem, setPaused, viewOf } from '../change-memory.ts'
import { findMemory, type FoundMemory } from '../find-memory.ts'
import { ndjsonResponse } from '../ndjson.ts'
import { Term } from '../wire/ids.ts'
import {
  itemView,
  Memory,
  MemoryAt,
  MemoryErased,
  MemoryItem,
  MemoryItemPut,
  MemoryItemQuery,
  MemoryPause,
  MemoryQuery,
  memoryView,
} from '../wire/memory-view.ts'

const tags = ['Memory']
const problems = ['unknown_agent', 'no_memory', 'memory_forbidden'] as const

export function memoryRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  readRoutes(app, api)
  writeRoutes(app, api)
}

const shownOf = ({ definition, scope, subject }: FoundMemory) => ({
  agent: definition.name,
  scope,
  subject,
})

function momentOf(at: string | undefined): { readonly runId: string; readonly seq: number } | null {
  const [runId = '', seq] = at?.split(':') ?? []
  return seq === undefined ? null : { runId, seq: Number(seq) }
}

function readRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const read = createRoute({
    method: 'get',
    path: '/memory',
    tags,
    summary: 'Shows what is known of somebody, with the words that each item comes from',
    request: { query: MemoryAt },
    responses: answers({ description: 'The memory.', schema: Memory }, [...problems]),
  })
  app.openapi(read, async (c) => {
    const { at, ...asked } = c.req.valid('query')
    const caller = c.get('caller')
    const found = findMemory(api, caller, asked)
    const place = { tenantId: caller.tenantId, threadId: found.memory.threadId }
    return reply(c, memoryView(await viewOf(api, place, momentOf(at)), shownOf(found)))
  })

  const exported = createRoute({
    method: 'get',
    path: '/memory/export',
    tags,
    summary: 'Exports what is known of somebody, an item a line',
    request: { query: MemoryQuery },
    responses: answers(
      {
        description: 'Items, as GET /memory has them.',
        types: ['application/x-ndjson'],
        schema: z.string(),
      },
      [...problems],
    ),
  })
  app.openapi(exported, async (c) => {
    const caller = c.get('caller')
    const found = findMemory(api, caller, c.req.valid('query'))
    const place = { tenantId: caller.tenantId, threadId: found.memory.threadId }
    const { entries } = await viewOf(api, place)
    const pages = async function* () {
      yield entries.map(itemView)
    }
    const name = 'attachment; filename="memory.ndjson"'
    return ndjsonResponse(api, pages(), { 'content-disposition': name })
  })
}

function writeRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const put = createRoute({
    method: 'put',
    path: '/memory',
    tags,
    summary: 'Writes an item by hand, or gives one another text: no model changes it any more',
    request: {
      headers: z.object({ 'idempotency-key': z.string().optional() }),
      body: jsonBody(MemoryItemPut),
    },
    responses: answers({ description: 'The item.', schema: MemoryItem }, [
      ...problems,
      'unknown_memory_item',
      'memory_full',
      'memory_busy',
      'idempotency_conflict',
    ]),
  })
  app.openapi(put, async (c) => {
    const body = c.req.valid('json')
    const idempotencyKey = c.req.header('idempotency-key')
    return reply(c, itemView(await putItem(api, c.get('caller'), { body, idempotencyKey })))
  })

  const drop = createRoute({
    method: 'delete',
    path: '/memory',
    tags,
    summary: 'Removes an item',
    request: { query: MemoryItemQuery },
    responses: answers({ description: 'It is not shown any more.', status: 204 }, [
      ...problems,
      'unknown_memory_item',
      'memory_busy',
    ]),
  })
  app.openapi(drop, async (c) => {
    await dropItem(api, c.get('caller'), c.req.valid('query'))
    return c.body(null, 204)
  })

  const pause = createRoute({
    method: 'post',
    path: '/memory/pause',
    tags,
    summary:
      'Pauses a memory, or ends its pause: meanwhile nothing is learned into it, nor shown of it',
    request: { body: jsonBody(MemoryPause) },
    responses: answers({ description: 'The memory.', schema: Memory }, [...problems]),
  })
  app.openapi(pause, async (c) => {
    const { paused: isPaused, ...asked } = c.req.valid('json')
    const caller = c.get('caller')
    const found = await setPaused(api, caller, { ...asked, isPaused })
    const place = { tenantId: caller.tenantId, threadId: found.memory.threadId }
    return reply(c, memoryView(await viewOf(api, place), shownOf(found)))
  })

  const erase = createRoute({
    method: 'delete',
    path: '/memory/{subject}',
    tags,
    summary: 'Erases what is known of somebody: the key of its texts is destroyed',
    request: {
      params: z.object({ subject: Term }),
      query: MemoryQuery.pick({ agent: true }),
    },
    responses: answers({ description: 'What was erased, and what is not.', schema: MemoryErased }, [
      'no_memory',
      'memory_forbidden',
      'memory_busy',
    ]),
  })
  app.openapi(erase, async (c) => {
    const { subject } = c.req.valid('param')
    const { agent } = c.req.valid('query')
    return reply(c, await eraseSubject(api, c.get('caller'), { subject, agent }))
  })
}
