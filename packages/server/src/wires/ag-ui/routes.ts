/** AG-UI 1.0 over HTTP: a POST that answers with the events of a run, and ways to cancel what a closed connection leaves. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Api, ApiEnv, Identified } from '../../http/api.ts'
import { approvalProblems } from '../../http/answer-approval.ts'
import { answers, jsonBody, reply } from '../../http/answers.ts'
import { cancelRun } from '../../http/cancel-run.ts'
import { eventStream } from '../../http/event-stream.ts'
import { findAgent, findRun } from '../../http/find.ts'
import { runLocation } from '../../http/long-answers.ts'
import { Problem } from '../../http/problem.ts'
import type { ProblemCode } from '../../http/problem-codes.ts'
import { runDocument } from '../../http/run-document.ts'
import { createProblems } from '../../http/routes/run-creates.ts'
import { Flag, Term } from '../../http/wire/ids.ts'
import { Run } from '../../http/wire/run-view.ts'
import { threadEvents } from '../langgraph/state.ts'
import { cancelRuns } from '../langgraph/runs-cancel.ts'
import type { AgUiEvent } from './event.ts'
import { aliasOf, threadOf } from './ids.ts'
import { RunAgentInput } from './run-input.ts'
import { type Started, startRun } from './start.ts'
import { agUiTexts } from './stream/texts.ts'

const protocolVersion = '1.0'
const tags = ['AG-UI']
const AgentPath = z.object({ agent: Term })

const problems: readonly ProblemCode[] = [
  ...createProblems,
  ...approvalProblems,
  'interrupts_open',
  'nothing_waits',
  'unknown_effect',
  'resolution_conflict',
  'too_many_streams',
]

export function agUiRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  runRoute(app, api)
  cancelRoute(app, api)
  cancelThreadRoute(app, api)
}

function runRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const events = { schema: z.string(), types: ['text/event-stream'] }
  const route = createRoute({
    method: 'post',
    path: '/ag-ui/{agent}',
    tags,
    summary: 'AG-UI: runs an agent, or lets a run go on, and streams it',
    request: { params: AgentPath, body: jsonBody(RunAgentInput) },
    responses: answers({ description: 'The events of AG-UI 1.0.', ...events }, problems),
  })
  app.openapi(route, async (c) => {
    const input = c.req.valid('json')
    const { agent } = c.req.valid('param')
    const started = await startRun(api, c.get('caller'), { agent, input })
    return streamOf(api, input, started)
  })
}

function streamOf(api: Api, input: RunAgentInput, started: Started): Response {
  const { head, about, isRepeat } = started
  const { threadId, runId, state } = input
  const sent = new Map(input.messages.map((message) => [message.id, message]))
  const asked = { threadId, runId, sent, state, about, isRepeat }
  const history = () => threadEvents(api.read, head, { runId: head.runId, seq: 0 })
  const sources = { ...api, ...api.settings, history }
  const texts = (gone: AbortSignal) =>
    agUiTexts(sources, { head, asked, first: firstOf(input, started), gone })
  return eventStream(api, texts, { headers: { 'content-location': runLocation(head) } })
}

/** What is known before anything happens. */
function firstOf(input: RunAgentInput, { head, ignored }: Started): readonly AgUiEvent[] {
  const { threadId, runId, parentRunId } = input
  const named = { run_id: head.runId, thread_id: head.threadId }
  const parent = parentRunId === undefined ? {} : { parentRunId }
  const metadata = { signalbox: named }
  return [
    { type: 'RUN_STARTED', threadId, runId, protocolVersion, ...parent, metadata },
    ...(Object.keys(ignored).length === 0
      ? []
      : [{ type: 'CUSTOM', name: 'signalbox.ignored', value: ignored } as const]),
  ]
}

function cancelRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const route = createRoute({
    method: 'post',
    path: '/ag-ui/{agent}/runs/{run_id}/cancel',
    tags,
    summary: "AG-UI: cancels a run by the client's own runId",
    request: {
      params: AgentPath.extend({ run_id: Term }),
      query: z.object({ wait: Flag }),
    },
    responses: answers({ description: 'The cancel is durable.', schema: Run, status: 202 }, [
      'unknown_agent',
      'unknown_run',
      'run_ended',
    ]),
  })
  app.openapi(route, async (c) => {
    const { agent, run_id } = c.req.valid('param')
    const caller = c.get('caller')
    const find = () => ownRun(api, caller, { agent, run_id })
    const { wait = false } = c.req.valid('query')
    const after = await cancelRun(api, { caller, find, wait })
    return reply(c, await runDocument(api.read, after), { status: 202 })
  })
}

/** A run of this agent; that of another one is not there. */
async function ownRun(
  api: Api,
  caller: Identified,
  { agent, run_id }: { readonly agent: string; readonly run_id: string },
) {
  const { name } = findAgent(api, agent)
  const head = await findRun(api, caller, { run_id: aliasOf(caller, run_id) })
  if (head.agent === name) return head
  throw new Problem('unknown_run', {
    detail: `The run ${run_id} is one of "${head.agent}".`,
    field: 'run_id',
  })
}

function cancelThreadRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const route = createRoute({
    method: 'post',
    path: '/ag-ui/{agent}/threads/{thread_id}/cancel',
    tags,
    summary: 'AG-UI: cancels all that is open on a thread',
    request: { params: AgentPath.extend({ thread_id: Term }) },
    responses: answers({ description: 'The cancels are durable.', status: 204 }, ['unknown_agent']),
  })
  app.openapi(route, async (c) => {
    const { agent, thread_id } = c.req.valid('param')
    findAgent(api, agent)
    const caller = c.get('caller')
    await cancelRuns(api, caller, { thread_id: threadOf(caller, thread_id), status: 'all' })
    return c.body(null, 204)
  })
}
