/** The keys of the caller's own tenant: make, list, revoke. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { issueKey, liveKeysMax } from '../../keys/issue-key.ts'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { Problem } from '../problem.ts'
import { Id, Limit, Offset } from '../wire/ids.ts'
import { Key, KeyCreate, keyView, NewKey } from '../wire/key-view.ts'

const tags = ['Keys']
const pageDefault = 100

export function keyRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  createKeyRoute(app, api)
  const list = createRoute({
    method: 'get',
    path: '/keys',
    tags,
    summary: 'Lists keys, newest first, with those that are revoked or expired',
    request: { query: z.object({ limit: Limit, offset: Offset }) },
    responses: answers({ description: 'A page of keys.', schema: z.array(Key) }),
  })
  app.openapi(list, async (c) => {
    const { limit = pageDefault, offset = 0 } = c.req.valid('query')
    const keys = await api.keys.list(c.get('caller').tenantId, { limit, offset })
    return reply(c, keys.map(keyView))
  })

  const revoke = createRoute({
    method: 'delete',
    path: '/keys/{key_id}',
    tags,
    summary: 'Revokes a key: within five seconds no process knows it any more',
    request: { params: z.object({ key_id: Id }) },
    responses: answers({ description: 'The revoked key.', schema: Key }, ['unknown_key']),
  })
  app.openapi(revoke, async (c) => {
    const { key_id: id } = c.req.valid('param')
    const { tenantId, actor } = c.get('caller')
    const key = await api.keys.revoke(tenantId, { id, by: actor })
    if (!key)
      throw new Problem('unknown_key', {
        detail: `There is no key ${id}. GET /keys lists them.`,
        field: 'key_id',
      })
    api.log.info('a key was revoked', { tenant: tenantId, key: id, actor })
    return reply(c, keyView(key))
  })
}

function createKeyRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const create = createRoute({
    method: 'post',
    path: '/keys',
    tags,
    summary: 'Makes a key; its text is in this answer and never again',
    request: { body: jsonBody(KeyCreate) },
    responses: answers({ description: 'The key.', schema: NewKey }, ['too_many_keys']),
  })
  app.openapi(create, async (c) => {
    const { name, scopes, expires_at } = c.req.valid('json')
    const { tenantId, actor } = c.get('caller')
    const expiresAt = expires_at ? Date.parse(expires_at) : null
    if (expiresAt !== null && expiresAt <= api.now())
      throw new Problem('invalid_request', {
        detail: 'expires_at: takes a time that is still to come',
        field: 'expires_at',
      })
    const issued = await issueKey(api.keys, api.random, {
      tenantId,
      name,
      scopes,
      expiresAt,
      by: actor,
    })
    if (!issued)
      throw new Problem('too_many_keys', {
        detail: `${liveKeysMax} keys are live, which is the limit. Revoke those that nobody uses.`,
      })
    const { key, text } = issued
    api.log.info('a key was made', { tenant: tenantId, key: key.id, scopes, actor })
    return reply(c, { ...keyView(key), key: text })
  })
}
