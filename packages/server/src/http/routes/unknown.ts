/** Effects whose outcome nobody knows: an operator says what became of them. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { limits, ToolOutput } from '@signalbox/core'
import type { UnknownEffect as Effect } from '@signalbox/postgres'
import type { Api, ApiEnv } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findRun } from '../find.ts'
import { Problem } from '../problem.ts'
import { Id } from '../wire/ids.ts'
import { iso } from '../wire/iso.ts'
import { Waiting, waitsForResolution } from '../wire/run-view.ts'

const tags = ['Humans']

const Details = z.object({
  run_id: z.string(),
  thread_id: z.string(),
  /** What it was executed with. Null if it was erased, and for callers without the scope `read`. */
  args: z.record(z.string(), z.unknown()).nullable(),
  args_hash: z.string().nullable(),
  /** `worker_lost`: its worker vanished; `not_settled`: it did not end in time, or the connection to it was lost. Null if the event was erased. */
  reason: z.enum(['worker_lost', 'not_settled']).nullable(),
  /** The process that executed it. */
  worker: z.string().nullable(),
  /** When it began; null if the event was erased. */
  started_at: z.string().nullable(),
  /** Since when its outcome is unknown. */
  unknown_at: z.string(),
  /** What the tool was told to know the call by, on every attempt: look for it on the other side. */
  idempotency_key: z.string(),
})
const UnknownEffect = z.intersection(Waiting, Details).openapi('UnknownEffect')
const Waits = z.array(UnknownEffect)
const Note = z.string().max(2000).optional()
const Accepted = z.object({ code: z.enum(['accepted', 'already']) }).openapi('EffectResolved')

export function unknownRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  listRoute(app, api)
  resolutionRoute(app, api)
}

function listRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const unknown = createRoute({
    method: 'get',
    path: '/unknown',
    tags,
    summary: 'Lists effects whose outcome is unknown',
    responses: answers({ description: 'Effects.', schema: Waits }),
  })
  app.openapi(unknown, async (c) => {
    const { tenantId, scopes } = c.get('caller')
    const { unknown: effects } = await api.read.waiting(tenantId)
    const mayRead = scopes.includes('read')
    return reply(
      c,
      effects.map((effect) => ({ ...waitsForResolution(effect), ...detailsOf(effect, mayRead) })),
    )
  })
}

const detailsOf = (effect: Effect, mayRead: boolean): z.infer<typeof Details> => ({
  run_id: effect.runId,
  thread_id: effect.threadId,
  args: mayRead && effect.args ? { ...effect.args } : null,
  args_hash: 'argsHash' in effect.spec ? effect.spec.argsHash : null,
  reason: effect.reason,
  worker: effect.owner,
  started_at: effect.startedAt === null ? null : iso(effect.startedAt),
  unknown_at: iso(effect.unknownAt),
  idempotency_key: effect.effectId,
})

const ended = (): Problem => new Problem('run_ended', { detail: 'The run has ended meanwhile.' })

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
