/** Agent Protocol v2 over HTTP: commands, and the tape of a thread as server-sent events. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv } from '../../http/api.ts'
import { answers, jsonBody, reply } from '../../http/answers.ts'
import { Problem } from '../../http/problem.ts'
import { IdempotencyKey } from '../../http/routes/run-creates.ts'
import { ThreadPath } from '../../http/wire/ids.ts'
import { ProtocolCommand } from './commands/command.ts'
import { obey } from './commands/obey.ts'
import { ErrorResponse, refusedCommand } from './protocol-error.ts'
import { socketRoute } from './socket/route.ts'
import { EventStreamRequest, isWanted } from './subscription.ts'
import { positionMax } from './tape/position.ts'
import { protocolEvent, tapeResponse } from './tape-response.ts'
import { ThreadBells } from './thread-bells.ts'
import { threadChannels, threadFrame, ThreadStreamModes } from './thread-stream.ts'

const tags = ['Agent Protocol v2']

export function agentProtocolRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const bells = new ThreadBells()
  commandRoute(app, api, bells)
  // The document of the protocol has the shorter path, its clients use the longer one.
  for (const path of ['/threads/{thread_id}/stream/events', '/threads/{thread_id}/stream'])
    eventsRoute(app, { api, bells, path })
  socketRoute(app, api, bells)
  threadStreamRoute(app, api, bells)
}

const Success = z
  .object({
    type: z.literal('success'),
    id: z.number().int(),
    result: z.record(z.string(), z.unknown()),
  })
  .openapi('ProtocolSuccess')

function commandRoute(app: OpenAPIHono<ApiEnv>, api: Api, bells: ThreadBells): void {
  const route = createRoute({
    method: 'post',
    path: '/threads/{thread_id}/commands',
    tags,
    summary: 'Agent Protocol v2: a command. Refusals are answers too, of type `error`',
    request: { params: ThreadPath, headers: IdempotencyKey, body: jsonBody(ProtocolCommand) },
    responses: answers(
      {
        description: 'What came of it.',
        schema: z.discriminatedUnion('type', [Success, ErrorResponse]),
      },
      ['unknown_thread'],
    ),
  })
  app.openapi(route, async (c) => {
    const command = c.req.valid('json')
    const { thread_id: threadId } = c.req.valid('param')
    const idempotencyKey = c.req.header('idempotency-key')
    try {
      const caller = c.get('caller')
      const result = await obey(command, { api, caller, threadId, idempotencyKey, bells })
      return reply(c, { type: 'success', id: command.id, result })
    } catch (error) {
      return reply(c, refusedCommand(command.id, error))
    }
  })
}

function eventsRoute(
  app: OpenAPIHono<ApiEnv>,
  { api, bells, path }: { readonly api: Api; readonly bells: ThreadBells; readonly path: string },
): void {
  const route = createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Agent Protocol v2: the events of a thread; `since` resumes after that `seq`',
    request: { params: ThreadPath, body: jsonBody(EventStreamRequest) },
    responses: answers(
      { description: 'Its events.', schema: z.string(), types: ['text/event-stream'] },
      ['unknown_thread', 'too_many_streams'],
    ),
  })
  app.openapi(route, (c) => {
    const asked = EventStreamRequest.parse(c.req.valid('json'))
    const wish = {
      threadId: c.req.param('thread_id') ?? '',
      early: true,
      since: asked.since ?? null,
      wants: (event: Parameters<typeof isWanted>[0]) => isWanted(event, asked),
      write: protocolEvent,
    }
    return tapeResponse(api, c.get('caller'), { bells, wish })
  })
}

const LastEventId = z.object({
  'last-event-id': z
    .string()
    .optional()
    .openapi({ description: 'The id of the last frame that the client has.' }),
})

function threadStreamRoute(app: OpenAPIHono<ApiEnv>, api: Api, bells: ThreadBells): void {
  const route = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/stream',
    tags: ['Threads'],
    summary: 'Streams a thread, whichever run goes on; Last-Event-ID resumes after that frame',
    request: {
      params: ThreadPath,
      query: z.object({ stream_mode: ThreadStreamModes }),
      headers: LastEventId,
    },
    responses: answers(
      { description: 'Its events.', schema: z.string(), types: ['text/event-stream'] },
      ['unknown_thread', 'invalid_header', 'too_many_streams'],
    ),
  })
  app.openapi(route, (c) => {
    const shown = threadChannels(c.req.valid('query').stream_mode)
    const wish = {
      threadId: c.req.valid('param').thread_id,
      early: false,
      since: readLastEventId(c.req.header('last-event-id')),
      wants: ({ channel }: { readonly channel: Parameters<typeof shown.has>[0] }) =>
        shown.has(channel),
      write: threadFrame,
    }
    return tapeResponse(api, c.get('caller'), { bells, wish })
  })
}

/** LangGraph's client sends -1 for "from the beginning". */
function readLastEventId(header: string | undefined): number | null {
  const id = header?.trim() ?? ''
  if (id === '') return null
  if (id === '-1') return 0
  if (/^\d{1,16}$/.test(id) && Number(id) <= positionMax) return Number(id)
  throw new Problem('invalid_header', {
    detail: 'Last-Event-ID takes the id of a frame of this thread, or -1.',
    field: 'last-event-id',
  })
}
