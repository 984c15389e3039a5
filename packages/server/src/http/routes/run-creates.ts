/** Creating runs: in the background, streamed, or waited for; on a thread, or with one of their own. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { RunHead } from '@signalbox/engine'
import type { Context } from 'hono'
import type { Api, ApiEnv } from '../api.ts'
import { approvalProblems } from '../answer-approval.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { cancelWhenLeft } from '../cancel-run.ts'
import { createRun } from '../create-run.ts'
import { findRun } from '../find.ts'
import {
  runHeaders,
  runLocation,
  streamHeaders,
  streamResponse,
  waitResponse,
} from '../long-answers.ts'
import type { ProblemCode } from '../problem-codes.ts'
import { listedDocument, runDocument } from '../run-document.ts'
import { ThreadPath } from '../wire/ids.ts'
import { isAnswer, RunCreate } from '../wire/run-create.ts'
import { Run } from '../wire/run-view.ts'
import { Values } from '../wire/values.ts'
import { behind } from '../../wires/langgraph/stream/position.ts'
import { resumeRun } from '../../wires/langgraph/runs-resume.ts'

const tags = ['Runs']
/** What a create may meet with. */
export const createProblems: readonly ProblemCode[] = [
  'unknown_agent',
  'unknown_thread',
  'idempotency_conflict',
  'not_available',
  'unknown_checkpoint',
  'thread_busy',
  'thread_full',
  'user_held',
  'webhook_refused',
  'unknown_upload',
  'not_recorded',
  'path_taken',
  'files_full',
]
const problems: readonly ProblemCode[] = [...createProblems, 'nothing_waits', ...approvalProblems]

export const IdempotencyKey = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .openapi({ description: 'The same key and body give the same run. An alias of the run id.' }),
})

const places = [
  { path: '/threads/{thread_id}/runs', params: ThreadPath, where: 'on a thread' },
  { path: '/runs', params: z.object({}), where: 'on a new thread' },
]

export function runCreateRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  for (const { path, params, where } of places) {
    const request = { params, headers: IdempotencyKey, body: jsonBody(RunCreate) }
    const route = (suffix: string, summary: string, responses: ReturnType<typeof answers>) =>
      createRoute({ method: 'post', path: `${path}${suffix}`, tags, summary, request, responses })

    const inBackground = answers(
      { description: 'The run.', schema: Run, headers: runHeaders },
      problems,
    )
    app.openapi(route('', `Creates a run ${where}`, inBackground), async (c) => {
      const { head } = await create(api, c, c.req.valid('json'))
      const headers = { 'content-location': runLocation(head) }
      return reply(c, await createdDocument(api.read, head), { headers })
    })

    const waited = answers(
      { description: 'What it came to.', schema: Values, headers: runHeaders },
      problems,
    )
    app.openapi(route('/wait', `Creates a run ${where} and waits for it`, waited), async (c) => {
      const { head } = await create(api, c, c.req.valid('json'))
      return waitResponse(api, head, onLeft(api, c, head))
    })

    const streamed = answers(
      {
        description: 'Its events.',
        schema: z.string(),
        types: ['text/event-stream'],
        headers: streamHeaders,
      },
      [...problems, 'too_many_streams'],
    )
    app.openapi(route('/stream', `Creates a run ${where} and streams it`, streamed), async (c) => {
      const { head, before } = await create(api, c, c.req.valid('json'))
      const { stream_mode: modes } = c.req.valid('json')
      const left = onLeft(api, c, head)
      return streamResponse(api, head, {
        modes,
        from: behind(before),
        ...(left ? { onLeft: left } : {}),
      })
    })
  }
}

/** Of one that was not admitted at once, the document says what it waits for. */
async function createdDocument(read: Api['read'], head: RunHead): Promise<Run> {
  const isBegun = head.seq > 1
  const listed = isBegun ? null : await read.listedRun(head.tenantId, head.runId)
  return listed ? listedDocument(listed, []) : runDocument(read, head, [])
}

/** A run goes on without its client, unless he said otherwise. */
function onLeft(
  api: Api,
  c: Context<ApiEnv, string, { out: { json: RunCreate } }>,
  head: RunHead,
): (() => void) | undefined {
  if (c.req.valid('json').on_disconnect !== 'cancel') return undefined
  return cancelWhenLeft(api, c.get('caller'), head)
}

/** A new run, or the one that `command.resume` answered; then `before` is the last event that was there before. */
async function create(
  api: Api,
  c: Context<ApiEnv>,
  body: RunCreate,
): Promise<{ readonly head: RunHead; readonly before: number }> {
  const caller = c.get('caller')
  const threadId = c.req.param('thread_id') ?? null
  if (isAnswer(body.command)) {
    const { assistant_id: agent, command } = body
    return resumeRun(api, caller, { threadId, agent, value: command?.resume, said: body })
  }
  const { runId } = await createRun(api, caller, {
    body,
    threadId,
    idempotencyKey: c.req.header('idempotency-key'),
  })
  return { head: await findRun(api, caller, { run_id: runId }), before: 0 }
}
