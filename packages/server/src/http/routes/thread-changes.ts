/** Changing threads: their metadata, how long they live, copies, and deleting. Deleting a run stands here too: it is the same promise. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { cleanTitle, limits } from '@signalbox/core'
import type { ThreadChange } from '@signalbox/engine'
import type { Api, ApiEnv, Identified } from '../api.ts'
import { answers, jsonBody, reply } from '../answers.ts'
import { findRun, unknownThread } from '../find.ts'
import { Problem } from '../problem.ts'
import { deleteRun, deleteThread, removeThread } from '../remove.ts'
import { Id, ThreadPath } from '../wire/ids.ts'
import { Metadata } from '../wire/run-create.ts'
import { RemoveStrategy, ThreadTtl } from '../wire/thread-ttl.ts'
import { Thread, shownTo, threadView } from '../wire/thread-view.ts'
import { momentOfId } from '../../wires/langgraph/moments.ts'
import { currentState, threadWithState } from '../../wires/langgraph/threads.ts'
import { runAddresses } from './runs.ts'

const tags = ['Threads']
const removed = { description: 'It is deleted for its users; the log keeps it.', status: 204 }

export function threadChangeRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  patchRoutes(app, api)
  deleteRoutes(app, api)
  copyRoute(app, api)
  pruneRoute(app, api)
}

/** A title that a person gives. Characters that nobody sees, or that turn the text beside them, are none of its words. */
const GivenTitle = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(limits.titleCharsMax)
  .refine((title) => title === cleanTitle(title), {
    error: 'takes one line, without control characters and marks that turn the direction of a text',
  })

const ThreadPatch = z
  .object({
    /** The title of the thread from now on: its runs do not change it. */
    title: GivenTitle.optional(),
    /** Laid over what is there, key by key. */
    metadata: Metadata.nullish().transform((metadata) => metadata ?? {}),
    /** As of a create; null takes it away. Whatever else is changed, what is there counts anew. */
    ttl: ThreadTtl,
    /** `off`: nothing of the thread is remembered from now on. What was learned before stays. */
    memory: z.enum(['on', 'off']).optional(),
  })
  .openapi('ThreadPatch')

const ThreadStatePatch = ThreadPatch.pick({ metadata: true }).openapi('ThreadStatePatch')

const patched = {
  ...answers({ description: 'The thread.', schema: Thread }, [
    'unknown_thread',
    'invalid_request',
    'not_available',
  ]),
  204: { description: 'With the header `Prefer: return=minimal`: it is changed.' },
}

function patchRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const patch = createRoute({
    method: 'patch',
    path: '/threads/{thread_id}',
    tags,
    summary:
      'Changes the metadata of a thread, its title, how long it lives, and whether it is remembered',
    request: { params: ThreadPath, body: jsonBody(ThreadPatch) },
    responses: patched,
  })
  const patchState = createRoute({
    method: 'patch',
    path: '/threads/{thread_id}/state',
    tags,
    summary: 'Changes the metadata of a thread',
    request: { params: ThreadPath, body: jsonBody(ThreadStatePatch) },
    responses: patched,
  })
  app.openapi(patch, async (c) => {
    const { metadata, ttl, title, memory } = c.req.valid('json')
    const { thread_id: threadId } = c.req.valid('param')
    const change = { metadata, ...(ttl === undefined ? {} : { ttlMinutes: ttl }) }
    const thread = await changeThread(api, c.get('caller'), { threadId, change, title, memory })
    return isMinimal(c.req.header('prefer')) ? c.body(null, 204) : reply(c, thread)
  })
  app.openapi(patchState, async (c) => {
    const { metadata } = c.req.valid('json')
    const { thread_id: threadId } = c.req.valid('param')
    const thread = await changeThread(api, c.get('caller'), { threadId, change: { metadata } })
    return isMinimal(c.req.header('prefer')) ? c.body(null, 204) : reply(c, thread)
  })
}

const isMinimal = (prefer = ''): boolean => /\breturn=minimal\b/.test(prefer)

async function changeThread(
  api: Api,
  caller: Identified,
  {
    threadId,
    change,
    title,
    memory,
  }: {
    readonly threadId: string
    readonly change: ThreadChange
    readonly title?: string | undefined
    readonly memory?: 'on' | 'off' | undefined
  },
): Promise<Thread> {
  const { tenantId, scopes } = caller
  const answer = await api.threads.changeThread({ tenantId, threadId }, change)
  if (answer === 'too_large')
    throw new Problem('invalid_request', {
      detail: `metadata: a thread takes at most ${limits.threadMetadataBytesMax} bytes of JSON in all`,
      field: 'metadata',
    })
  if (answer === 'ok' && memory !== undefined)
    await api.threads.setMemory({ tenantId, threadId }, memory === 'off')
  if (answer === 'ok' && title !== undefined) await giveTitle(api, caller, { threadId, title })
  const thread = answer === 'ok' ? await api.read.thread(tenantId, threadId) : null
  if (!thread) throw unknownThread(threadId)
  // What was said is shown to those who may read it.
  return scopes.includes('read')
    ? threadWithState(api.read, thread)
    : threadView(shownTo(scopes, thread))
}

/** The log says who did it, where anybody has run. */
async function giveTitle(
  api: Api,
  caller: Identified,
  { threadId, title }: { readonly threadId: string; readonly title: string },
): Promise<void> {
  const { tenantId, actor } = caller
  const [newest] = await api.read.runs(tenantId, { threadId, limit: 1, rolledBack: true })
  const lastRunId = newest?.runId ?? null
  await api.commands.titleThread({ tenantId, actor, threadId, title, lastRunId })
}

function deleteRoutes(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const thread = createRoute({
    method: 'delete',
    path: '/threads/{thread_id}',
    tags,
    summary: 'Deletes a thread and its runs for their users; runs under way are cancelled first',
    request: { params: ThreadPath },
    responses: answers(removed, ['unknown_thread', 'thread_busy']),
  })
  app.openapi(thread, async (c) => {
    await deleteThread(api, c.get('caller'), c.req.valid('param').thread_id)
    return c.body(null, 204)
  })

  for (const { path, params } of runAddresses) {
    const run = createRoute({
      method: 'delete',
      path,
      tags: ['Runs'],
      summary: 'Deletes a run for its users; one under way is cancelled first',
      request: { params },
      responses: answers(removed, ['unknown_run']),
    })
    app.openapi(run, async (c) => {
      const caller = c.get('caller')
      await deleteRun(api, caller, await findRun(api, caller, c.req.valid('param')))
      return c.body(null, 204)
    })
  }
}

function copyRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const copy = createRoute({
    method: 'post',
    path: '/threads/{thread_id}/copy',
    tags,
    summary: 'Creates a thread that begins with all that was said on this one',
    request: { params: ThreadPath },
    responses: answers({ description: 'The new thread.', schema: Thread }, ['unknown_thread']),
  })
  app.openapi(copy, async (c) => {
    const { thread_id: from } = c.req.valid('param')
    const { tenantId, scopes } = c.get('caller')
    const source = await api.read.thread(tenantId, from)
    if (!source) throw unknownThread(from)
    const { checkpoint } = await currentState(api.read, source)
    const origin = await momentOfId(api.read, tenantId, checkpoint.checkpoint_id ?? '')
    const threadId = api.random.uuid()
    const { metadata } = source
    const contentKey = api.random.hex(32)
    const wanted = { threadId, tenantId, metadata, createdAt: api.now(), contentKey, origin }
    await api.threads.ensureThread(wanted)
    if (source.isPrivate) await api.threads.setMemory({ tenantId, threadId }, true)
    if (source.title) await api.threads.giveTitle({ tenantId, threadId }, source.title)
    const thread = await api.read.thread(tenantId, threadId)
    if (!thread) throw unknownThread(threadId)
    return reply(c, threadView(shownTo(scopes, thread)))
  })
}

const idsMax = 1000

const ThreadPrune = z
  .object({
    thread_ids: z.array(Id).max(idsMax),
    strategy: RemoveStrategy,
  })
  .openapi('ThreadPrune')

function pruneRoute(app: OpenAPIHono<ApiEnv>, api: Api): void {
  const prune = createRoute({
    method: 'post',
    path: '/threads/prune',
    tags,
    summary: 'Deletes threads for their users; of ids that name none, nothing is said',
    request: { body: jsonBody(ThreadPrune) },
    responses: answers(
      {
        description: 'How many were deleted.',
        schema: z.object({ pruned_count: z.number().int() }),
      },
      ['not_available', 'thread_busy'],
    ),
  })
  app.openapi(prune, async (c) => {
    let pruned_count = 0
    for (const threadId of new Set(c.req.valid('json').thread_ids))
      if (await removeThread(api, c.get('caller'), threadId)) pruned_count += 1
    return reply(c, { pruned_count })
  })
}
