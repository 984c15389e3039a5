/** Runs that are there: list, get, join, stream, cancel. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { spentIn } from '@signalbox/core'
import type { RunHead } from '@signalbox/engine'
import type { Api, ApiEnv } from '../api.ts'
import { answers, reply } from '../answers.ts'
import { waitingInTree } from '../humans-asked.ts'
import { inBounds } from '../audit/in-bounds.ts'
import { insistOn } from '../authorize.ts'
import { cancelRun, cancelWhenLeft } from '../cancel-run.ts'
import { findRun, unknownRun } from '../find.ts'
import {
  runHeaders,
  runLocation,
  streamHeaders,
  streamResponse,
  waitResponse,
} from '../long-answers.ts'
import { Problem } from '../problem.ts'
import { listedDocument, runDocument } from '../run-document.ts'
import { CancelAction } from '../wire/cancel-action.ts'
import { Flag, Limit, Offset, RunPath, Term, ThreadPath, ThreadRunPath } from '../wire/ids.ts'
import { ChildRun } from '../wire/child-run.ts'
import { amongOf, Run, WireStatus } from '../wire/run-view.ts'
import { Values } from '../wire/values.ts'
import { isOwn, JoinModes, modesOf, type StreamMode } from '../../wires/langgraph/stream/modes.ts'
import { parseFramePosition, type Position, start } from '../../wires/langgraph/stream/position.ts'

const tags = ['Runs']
const pageDefault = 10

/** A run is reached by its thread, and on its own. */
export const runAddresses: readonly {
  readonly path: string
  readonly params: typeof RunPath | typeof ThreadRunPath
}[] = [
  { path: '/threads/{thread_id}/runs/{run_id}', params: ThreadRunPath },
  { path: '/runs/{run_id}', params: RunPath },
]

export function runRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  listRoute(app, api)
  for (const address of runAddresses) {
    getRoute(app, api, address)
    childrenRoute(app, api, address)
    followRoutes(app, api, address)
    cancelRoute(app, api, address)
  }
}

type Address = (typeof runAddresses)[number]

function listRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const query = z.object({ limit: Limit, offset: Offset, status: WireStatus.optional() })
  const list = createRoute({
    method: 'get',
    path: '/threads/{thread_id}/runs',
    tags,
    summary: 'Lists the runs of a thread, newest first',
    request: { params: ThreadPath, query },
    responses: answers({ description: 'A page of runs.', schema: z.array(Run) }),
  })
  app.openapi(list, async (c) => {
    const { limit = pageDefault, offset = 0, status } = c.req.valid('query')
    const { thread_id: threadId } = c.req.valid('param')
    const { tenantId } = c.get('caller')
    const among = status === undefined ? {} : { among: amongOf(status) }
    const heads = await api.read.runs(tenantId, { threadId, limit, offset, ...among })
    return reply(c, await Promise.all(heads.map((run) => runDocument(api.read, run))))
  })
}

function getRoute(app: OpenAPIHono<ApiEnv>, api: Api, { path, params }: Address): void {
  const get = createRoute({
    method: 'get',
    path,
    tags,
    summary: 'Gets a run',
    request: { params },
    responses: answers({ description: 'The run.', schema: Run }, ['unknown_run']),
  })
  app.openapi(get, async (c) => {
    const caller = c.get('caller')
    const { runId } = await findRun(api, caller, c.req.valid('param'))
    const run = await inBounds(() => api.read.listedRun(caller.tenantId, runId))
    // Deleted in between.
    if (!run) throw unknownRun(runId)
    return reply(c, listedDocument(run, await waitingInTree(api.read, run)))
  })
}

function childrenRoute(app: OpenAPIHono<ApiEnv>, api: Api, { path, params }: Address): void {
  const children = createRoute({
    method: 'get',
    path: `${path}/children`,
    tags,
    summary: 'Lists the runs that a run has started, in the order of their starting',
    request: { params },
    responses: answers({ description: 'Its children.', schema: z.array(ChildRun) }, [
      'unknown_run',
    ]),
  })
  app.openapi(children, async (c) => {
    const { tenantId, runId } = await findRun(api, c.get('caller'), c.req.valid('param'))
    const refs = await api.children(runId)
    // Each is read as what belongs to the tenant: who may read the parent does not say it.
    const heads = await Promise.all(refs.map((ref) => api.read.run(tenantId, ref.runId)))
    const known = heads.filter((head) => head !== null)
    const documents = await Promise.all(known.map((head) => runDocument(api.read, head)))
    const children = documents.map((run, n): ChildRun => {
      const state = known[n]?.state
      const spent = state ? spentIn(state) : null
      return spent ? { ...run, spent } : run
    })
    return reply(c, children)
  })
}

const Following = z.object({
  stream_mode: JoinModes,
})

/** Whoever joins a run only looks: his going is nothing to it. Whoever streams it may say otherwise. */
const Streaming = Following.extend({ cancel_on_disconnect: Flag })
const Joining = Following.extend({
  cancel_on_disconnect: Flag.refine((flag) => flag !== true, {
    error: 'is not available: a join never cancels. Use /stream, or cancel the run.',
    params: { code: 'not_available' },
  }),
})

const LastEventId = z.object({
  'last-event-id': z
    .string()
    .optional()
    .openapi({ description: 'The id of the last frame that the client has.' }),
})

function followRoutes(app: OpenAPIHono<ApiEnv>, api: Api, { path, params }: Address): void {
  const join = createRoute({
    method: 'get',
    path: `${path}/join`,
    tags,
    summary: 'Waits for a run',
    request: { params, query: Joining },
    responses: answers({ description: 'What it came to.', schema: Values, headers: runHeaders }, [
      'unknown_run',
    ]),
  })
  app.openapi(join, async (c) =>
    waitResponse(api, await findRun(api, c.get('caller'), c.req.valid('param'))),
  )

  const stream = createRoute({
    method: 'get',
    path: `${path}/stream`,
    tags,
    summary: 'Streams a run; Last-Event-ID resumes after that frame',
    request: { params, query: Streaming, headers: LastEventId },
    responses: answers(
      {
        description: 'Its events.',
        schema: z.string(),
        types: ['text/event-stream'],
        headers: streamHeaders,
      },
      ['unknown_run', 'invalid_header', 'too_many_streams'],
    ),
  })
  app.openapi(stream, async (c) => {
    const head = await findRun(api, c.get('caller'), c.req.valid('param'))
    const { stream_mode: asked, cancel_on_disconnect: cancels = false } = c.req.valid('query')
    const modes = asked ?? (await createdModes(api, head))
    const from = resumePoint(c.req.header('last-event-id'), { seq: head.seq, modes })
    if (!cancels) return streamResponse(api, head, { modes, from })
    // Whoever may only look must not end what he looks at by going away.
    insistOn({ all: ['enqueue'], any: [] }, c.get('caller'))
    return streamResponse(api, head, {
      modes,
      from,
      onLeft: cancelWhenLeft(api, c.get('caller'), head),
    })
  })
}

async function createdModes(api: Api, { tenantId, runId }: RunHead) {
  const [created] = await api.read.runEvents(tenantId, runId, { after: 0, limit: 1 })
  return modesOf(created)
}

/** LangGraph's client sends -1 for "from the beginning". */
function resumePoint(
  header: string | undefined,
  { seq, modes }: { readonly seq: number; readonly modes: readonly StreamMode[] },
): Position {
  const id = header?.trim() ?? ''
  if (id === '' || id === '-1') return start
  // The ids of our own stream are numbers of events.
  const position = !isOwn(modes) || /^\d+$/.test(id) ? parseFramePosition(id) : null
  if (position && position.seq <= seq) return position
  throw new Problem('invalid_header', {
    detail: `Last-Event-ID takes the id of a frame of this run, or a whole number from 0 to ${seq}.`,
    field: 'last-event-id',
  })
}

function cancelRoute(app: OpenAPIHono<ApiEnv>, api: Api, { path, params }: Address): void {
  const query = z.object({
    wait: Flag,
    action: CancelAction,
    reason: Term.optional(),
  })
  const cancel = createRoute({
    method: 'post',
    path: `${path}/cancel`,
    tags,
    summary: 'Cancels a run: from the answer on, no new effect of it starts',
    request: { params, query },
    responses: {
      ...answers(
        { description: 'The cancel is durable.', schema: Run, status: 202, headers: runHeaders },
        ['unknown_run', 'run_ended'],
      ),
      204: { description: 'With `wait=1`: the run has ended.' },
    },
  })
  app.openapi(cancel, async (c) => {
    const { wait = false, action, reason } = c.req.valid('query')
    const caller = c.get('caller')
    const place = c.req.valid('param')
    const after = await cancelRun(api, {
      caller,
      find: () => findRun(api, caller, place),
      ...('thread_id' in place && place.thread_id !== undefined
        ? { threadId: place.thread_id }
        : {}),
      wait,
      action,
      ...(reason === undefined ? {} : { reason }),
    })
    const headers = { 'content-location': runLocation(after) }
    if (wait && after.status === 'ended') return c.body(null, 204, headers)
    return reply(c, await runDocument(api.read, after), { status: 202, headers })
  })
}
