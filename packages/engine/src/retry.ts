/**
 * Retrying a run: what it was asked is asked once more, after whatever was the matter has passed. Unlike a rerun, it executes.
 *
 * Y1 The new run stands behind the other on its thread, and hears what became of it: a model that is asked to pay once more
 *    sees the payment that was made.
 * Y2 It has the agent as it is now, since an agent is often what was repaired. Whom it works for, who is told of it, its metadata
 *    and where it stands among the runs of its thread are the other's.
 * Y3 It ends no run of its thread: the other would have, when it was the newest word; this one waits.
 * Y4 A request that is repeated starts nothing: the run is known by the other's id.
 */
import { type FactPayload, factSchemas, payloadOf, type UserMessage } from '@signalbox/core'
import type { CreateRunDeps, NewRun } from './create-run.ts'
import type { CreateAnswer, RetryRequest, RetryAnswer } from './engine.ts'
import type { RunHead } from './ports.ts'
import { insist } from './record/patience.ts'

/** The alias under which the retry of a run is known. */
export const retryAlias = (runId: string, name: string | null): string =>
  name === null ? `retry:${runId}` : `retry:${runId}:${name}`

/** Creates the retry, by `create`; or answers the first one. */
export async function retryRun(
  deps: CreateRunDeps,
  request: RetryRequest,
  create: (run: NewRun) => Promise<CreateAnswer>,
): Promise<RetryAnswer> {
  const { runId, tenantId } = request
  const { register } = deps
  const head = await insist(deps, 'read run', () => register.head(runId))
  if (head?.tenantId !== tenantId) return { code: 'no_run' }
  if (head.outcome === null) return { code: 'run_open' }
  if (head.parent) return { code: 'child' }
  const [first] = await insist(deps, 'read events', () => register.events(runId, { limit: 1 }))
  const created = first?.salt ? payloadOf(factSchemas['run.created'], first) : null
  if (!created) return { code: 'erased' }
  if (created.edit) return { code: 'edit' }
  if (created.compact) return { code: 'summary' }
  if (created.rerun) return { code: 'rerun' }
  return create(newRun(deps, request, { head, created }))
}

function newRun(
  { random }: Pick<CreateRunDeps, 'random'>,
  { runId, tenantId, actor, definition, marks, lanesOf, name }: RetryRequest,
  { head, created }: { readonly head: RunHead; readonly created: FactPayload<'run.created'> },
): NewRun {
  const { user, endUser, fields, interactive } = created
  const whom = {
    tenantId,
    actor,
    ...(user === undefined ? {} : { user }),
    ...(endUser === undefined ? {} : { endUser }),
  }
  const key = retryAlias(runId, name)
  // A message is known by its id: with the same one it would be no new word.
  const anew = (message: UserMessage) => ({ ...message, id: `u_${random.uuid()}` })
  return {
    ...whom,
    threadId: head.threadId,
    definition,
    input: created.input.map(anew),
    metadata: { ...created.metadata, ...marks, retry_of: runId },
    multitask: head.multitask === 'reject' ? 'reject' : 'enqueue',
    priority: head.priority,
    lanes: lanesOf(whom),
    ...(head.base ? { base: head.base } : {}),
    ...(fields ? { fields } : {}),
    ...(interactive === undefined ? {} : { interactive }),
    // A run that was rolled back took its files with it.
    ...(created.files ? { files: created.files } : {}),
    told: (created.webhooks ?? []).filter((webhook) => webhook.endpoint === undefined),
    retry: { runId },
    alias: { key, bodyHash: key },
  }
}
