/** What waits for a human: approvals, and effects whose outcome nobody knows. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits, ToolOutput } from '@signalbox/core'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { openApprovals } from '../approvals.ts'
import { findRun } from '../find.ts'
import { Problem } from '../problem.ts'
import { eventsOf } from '../run-events.ts'
import { Id } from '../wire/ids.ts'
import { Waiting, waitsForApproval, waitsForResolution } from '../wire/run-view.ts'

const tags = ['Humans']
/** Waiting runs that one listing looks into. */
const runsMax = 100

const where = { run_id: z.string(), thread_id: z.string() }
const Waits = z.array(z.intersection(Waiting, z.object(where)))
const Note = z.string().max(2000).optional()
const Accepted = z.object({ code: z.enum(['accepted', 'already']) })

export function humanRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  listRoutes(app, api)
  approvalRoute(app, api)
  resolutionRoute(app, api)
}

function listRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const approvals = createRoute({
    method: 'get',
    path: '/approvals',
    tags,
    summary: 'Lists calls that wait for an approval',
    responses: answers({ description: 'Calls.', schema: Waits }),
  })
  app.openapi(approvals, async (c) => {
    const { runs } = await api.read.waiting(c.get('caller').tenantId)
    const views = []
    for (const run of runs.filter(({ stateName }) => stateName === 'approval').slice(0, runsMax))
      for (const approval of openApprovals(await eventsOf(api.read, run)))
        views.push({
          run_id: run.runId,
          thread_id: run.threadId,
          ...waitsForApproval(approval),
        })
    return reply(c, views)
  })

  const unknown = createRoute({
    method: 'get',
    path: '/unknown',
    tags,
    summary: 'Lists effects whose outcome is unknown',
    responses: answers({ description: 'Effects.', schema: Waits }),
  })
  app.openapi(unknown, async (c) => {
    const waiting = await api.read.waiting(c.get('caller').tenantId)
    return reply(
      c,
      waiting.unknown.map((effect) => ({
        run_id: effect.runId,
        thread_id: effect.threadId,
        ...waitsForResolution(effect),
      })),
    )
  })
}

const ended = (): Problem => new Problem('run_ended', { detail: 'The run has ended meanwhile.' })

function approvalRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const body = z.object({ decision: z.enum(['approve', 'reject']), note: Note })
  const route = createRoute({
    method: 'post',
    path: '/runs/{run_id}/approvals/{call_id}',
    tags,
    summary: 'Approves or rejects a call',
    request: { params: z.object({ run_id: Id, call_id: Id }), body: jsonBody(body) },
    responses: answers({ description: 'The decision stands.', schema: Accepted }, [
      'unknown_run',
      'unknown_approval',
      'approval_conflict',
      'run_ended',
    ]),
  })
  app.openapi(route, async (c) => {
    const { run_id, call_id: callId } = c.req.valid('param')
    const { decision, note } = c.req.valid('json')
    const caller = c.get('caller')
    const { runId } = await findRun(api, caller, { run_id })
    const answer = { ...caller, runId, callId, decision }
    const noted = note === undefined ? answer : { ...answer, note }
    const code = await api.commands.answerApproval(noted)
    if (code === 'accepted' || code === 'already') return reply(c, { code })
    if (code === 'ended') throw ended()
    if (code === 'conflict')
      throw new Problem('approval_conflict', { detail: 'The call was decided the other way.' })
    throw new Problem('unknown_approval', {
      detail: `No approval is asked for the call ${callId} of this run.`,
      field: 'call_id',
    })
  })
}

const Output = z.union([
  z.string().max(limits.inlineBytesMax),
  z.object({
    text: z.string().max(limits.inlineBytesMax),
    is_error: z.boolean().default(false),
  }),
])

const Resolution = z
  .object({
    /** `retry` runs it once more under the same idempotency key. */
    resolution: z.enum(['happened', 'not_happened', 'retry']),
    /** For `happened`: what the tool answered, as far as it is known. */
    output: Output.optional(),
    note: Note,
  })
  .refine(({ resolution, output }) => output === undefined || resolution === 'happened', {
    path: ['output'],
    error: 'takes a value for the resolution "happened" only',
  })

const toolOutput = (output: z.output<typeof Output>): ToolOutput => {
  const { text, is_error } = typeof output === 'string' ? { text: output, is_error: false } : output
  return { content: [{ type: 'text', text }], isError: is_error }
}

function resolutionRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const route = createRoute({
    method: 'post',
    path: '/runs/{run_id}/effects/{effect_id}/resolve',
    tags,
    summary: 'Says what became of an effect whose outcome is unknown',
    request: { params: z.object({ run_id: Id, effect_id: Id }), body: jsonBody(Resolution) },
    responses: answers({ description: 'The resolution stands.', schema: Accepted }, [
      'unknown_run',
      'unknown_effect',
      'resolution_conflict',
      'run_ended',
    ]),
  })
  app.openapi(route, async (c) => {
    const { run_id, effect_id: effectId } = c.req.valid('param')
    const { resolution, output, note } = c.req.valid('json')
    const caller = c.get('caller')
    const { runId } = await findRun(api, caller, { run_id })
    const code = await api.commands.resolveUnknown({
      ...caller,
      runId,
      effectId,
      resolution,
      ...(output === undefined ? {} : { output: toolOutput(output) }),
      ...(note === undefined ? {} : { note }),
    })
    if (code === 'accepted' || code === 'already') return reply(c, { code })
    if (code === 'ended') throw ended()
    if (code === 'conflict')
      throw new Problem('resolution_conflict', { detail: 'The call was resolved otherwise.' })
    throw new Problem('unknown_effect', {
      detail: `The effect ${effectId} is not one of this run whose outcome is unknown.`,
      field: 'effect_id',
    })
  })
}
