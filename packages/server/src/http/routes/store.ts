/** The store: what agents and their servers remember across threads, one tenant apart from the other. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { StoreItem } from '@signalbox/postgres'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { Problem } from '../problem.ts'
import {
  Item,
  itemView,
  NamespacesBody,
  StoreDeleteBody,
  StoreGetQuery,
  StorePutBody,
  StoreSearchBody,
} from '../../wires/langgraph/store.ts'

const tags = ['Store']
const path = '/store/items'

export function storeRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  writeRoutes(app, api)
  readRoutes(app, api)
}

function writeRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const put = createRoute({
    method: 'put',
    path,
    tags,
    summary: 'Writes an item whole',
    request: { body: jsonBody(StorePutBody) },
    responses: answers({ description: 'It is there.', status: 204 }, [
      'quota_reached',
      'not_available',
    ]),
  })
  app.openapi(put, async (c) => {
    const { ttl = null, ...item } = c.req.valid('json')
    const done = await api.resources.store.put(c.get('caller').tenantId, {
      ...item,
      ttlMinutes: ttl,
    })
    if (done === 'ok') return c.body(null, 204)
    throw new Problem('quota_reached', {
      detail: `The store holds ${limits.storeItemsMax} items, and takes no other. Delete some.`,
    })
  })

  const remove = createRoute({
    method: 'delete',
    path,
    tags,
    summary: 'Deletes an item, if it is there',
    request: { body: jsonBody(StoreDeleteBody) },
    responses: answers({ description: 'It is not there.', status: 204 }),
  })
  app.openapi(remove, async (c) => {
    await api.resources.store.delete(c.get('caller').tenantId, c.req.valid('json'))
    return c.body(null, 204)
  })
}

function readRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  /** What was read lives as long again. */
  const read = async (tenantId: string, items: readonly StoreItem[], refresh = true) => {
    const expiring = refresh ? items.filter(({ expires }) => expires) : []
    if (expiring.length > 0) await api.resources.store.prolong(tenantId, expiring)
    return items.map(itemView)
  }

  const get = createRoute({
    method: 'get',
    path,
    tags,
    summary: 'Gets an item; null if it is not there',
    request: { query: StoreGetQuery },
    responses: answers({ description: 'The item, or null.', schema: Item.nullable() }),
  })
  app.openapi(get, async (c) => {
    const { tenantId } = c.get('caller')
    const { refresh_ttl: refresh, ...key } = c.req.valid('query')
    const item = await api.resources.store.item(tenantId, key)
    const [view = null] = await read(tenantId, item ? [item] : [], refresh)
    return reply(c, view)
  })

  const search = createRoute({
    method: 'post',
    path: `${path}/search`,
    tags,
    summary: 'Searches the items under a prefix, newest first',
    request: { body: jsonBody(StoreSearchBody) },
    responses: answers(
      { description: 'A page of items.', schema: z.object({ items: z.array(Item) }) },
      ['not_available'],
    ),
  })
  app.openapi(search, async (c) => {
    const { tenantId } = c.get('caller')
    const { namespace_prefix: prefix, filter: conditions, ...asked } = c.req.valid('json')
    const { limit, offset, refresh_ttl: refresh } = asked
    const page = { prefix: prefix ?? [], conditions, limit, offset }
    const found = await api.resources.store.items(tenantId, page)
    return reply(c, { items: await read(tenantId, found, refresh ?? true) })
  })

  const namespaces = createRoute({
    method: 'post',
    path: '/store/namespaces',
    tags,
    summary: 'Lists the namespaces that have items',
    request: { body: jsonBody(NamespacesBody) },
    responses: answers({
      description: 'A page of namespaces, in order.',
      schema: z.object({ namespaces: z.array(z.array(z.string())) }),
    }),
  })
  app.openapi(namespaces, async (c) => {
    const { prefix, suffix, max_depth: maxDepth, limit, offset } = c.req.valid('json')
    const found = await api.resources.store.namespaces(c.get('caller').tenantId, {
      prefix: prefix ?? [],
      suffix: suffix ?? [],
      ...(typeof maxDepth === 'number' ? { maxDepth } : {}),
      limit,
      offset,
    })
    return reply(c, { namespaces: found })
  })
}
