/** Agent Protocol v2 over a WebSocket: the same commands and the same tape as over HTTP, on one connection. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { answers } from '../../../http/answers.ts'
import type { Api, ApiEnv } from '../../../http/api.ts'
import { takeStreamSlot } from '../../../http/event-stream.ts'
import { refuseForeignSocket } from '../../../http/door.ts'
import { unknownThread } from '../../../http/find.ts'
import { Problem } from '../../../http/problem.ts'
import type { Upgrade } from '../../../http/upgrade.ts'
import { ThreadPath } from '../../../http/wire/ids.ts'
import type { ThreadBells } from '../thread-bells.ts'
import { SocketSession } from './session.ts'

/** A field, since no answer can be made with it: it is never sent, but seen by who counts answers. */
class Switching extends Response {
  override readonly status = 101
}

export function socketRoute(app: OpenAPIHono<ApiEnv>, api: Api, bells: ThreadBells): void {
  const route = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/stream/events',
    tags: ['Agent Protocol v2'],
    summary: 'Agent Protocol v2 on a WebSocket: commands, and subscriptions to events',
    request: { params: ThreadPath },
    responses: answers({ description: 'The connection is a WebSocket.', status: 101 }, [
      'foreign_origin',
      'unknown_thread',
      'upgrade_required',
      'too_many_streams',
    ]),
  })
  app.openapi(route, async (c) => {
    const { thread_id: threadId } = c.req.valid('param')
    const { tenantId, scopes } = c.get('caller')
    await refuseForeignSocket(api.door, c.req.raw.headers)
    // The client of the protocol connects before its first run makes the thread: who may do that need not find it.
    const mayMakeIt = isUpgrade(c) && scopes.includes('enqueue')
    if (!mayMakeIt && !(await api.read.thread(tenantId, threadId))) throw unknownThread(threadId)
    const upgrade = upgradeOf(c)
    const release = takeStreamSlot(api)
    const headers = new Headers(c.req.raw.headers)
    upgrade.accept({
      opened: (socket) =>
        new SocketSession(socket, { api, bells, threadId, headers, tenantId }).open(release),
      failed: release,
    })
    return new Switching()
  })
}

const isUpgrade = (c: Context<ApiEnv>): boolean => c.env?.upgrade !== undefined

function upgradeOf(c: Context<ApiEnv>): Upgrade {
  const { upgrade } = c.env ?? {}
  const key = c.req.header('sec-websocket-key') ?? ''
  if (
    upgrade &&
    c.req.header('sec-websocket-version') === '13' &&
    /^[+/0-9A-Za-z]{22}==$/.test(key)
  )
    return upgrade
  throw new Problem('upgrade_required', {
    detail: 'Connect with a WebSocket client, or POST here for server-sent events.',
    headers: { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' },
  })
}
