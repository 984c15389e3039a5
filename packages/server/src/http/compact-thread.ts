/**
 * Summing up a thread by hand: a run that takes the thread's slot, has the summary made, and ends. So it stands in the log and in the
 * conversation as every run does, and a rollback of it takes the summary back.
 */
import { createHash } from 'node:crypto'
import type { AgentDefinition } from '@signalbox/core'
import { canonical, type StoredEvent } from '@signalbox/engine'
import type { ThreadView } from '@signalbox/postgres'
import { waitForRun } from '../stream/wait-for-run.ts'
import type { Api, Identified } from './api.ts'
import { readIdempotencyKey, runOrProblem } from './create-run.ts'
import { anyAgent } from './edit-thread.ts'
import { findRun } from './find.ts'
import { Problem } from './problem.ts'
import { wholeLog } from './whole-log.ts'

export interface Compact {
  readonly thread: ThreadView
  readonly instructions: string | undefined
  /** The Idempotency-Key header as it came. */
  readonly idempotencyKey: string | undefined
}

/** How the run ended that was created for it. */
export interface Compacted {
  readonly runId: string
  /** `context.compacted`, or `context.unchanged`, which says why there is no summary. Null: the run ended before either. */
  readonly event: StoredEvent | null
}

/** Has what is before the newest turns summed up, and waits for it. */
export async function compactThread(
  api: Api,
  caller: Identified,
  { thread, instructions, idempotencyKey }: Compact,
): Promise<Compacted> {
  const { threadId } = thread
  const { user } = caller
  const key = readIdempotencyKey(idempotencyKey)
  const asked = instructions === undefined ? {} : { instructions }
  const bodyHash = createHash('sha256')
    // For somebody else it is another request.
    .update(canonical({ threadId, compact: asked, ...(user ? { user: user.id } : {}) }))
    .digest('hex')
  const answer = await api.commands.createRun({
    ...caller,
    threadId,
    definition: await ownAgent(api, thread),
    input: [],
    compact: asked,
    metadata: {},
    multitask: 'reject',
    alias: key === null ? null : { key, bodyHash },
  })
  const { runId } = runOrProblem(api, answer, { threadId, key, isEdit: true })
  const head = await findRun(api, caller, { run_id: runId })
  const signal = AbortSignal.any([api.stopping, AbortSignal.timeout(api.settings.waitMsMax)])
  const sources = { ...api, pollMs: api.settings.pollMs }
  const { head: ended } = await waitForRun(sources, head, signal)
  if (!ended || ended.outcome === null)
    throw new Problem('thread_busy', {
      detail: `The summary of the thread ${threadId} is being made by the run ${runId}.`,
      more: { run_id: runId },
    })
  const events = await wholeLog(api, ended)
  const event = events.findLast(
    ({ type }) => type === 'context.compacted' || type === 'context.unchanged',
  )
  if (event?.payload['reason'] === 'no_gain')
    throw new Problem('nothing_to_compact', {
      detail: `The thread ${threadId} has no turns before the newest ones, or a summary of them would not be shorter.`,
      more: { run_id: runId },
    })
  return { runId, event: event ?? null }
}

/** The agent of the thread's newest run: its model is paid, and its guardrails see the summary. A thread without a run has nothing to sum up. */
async function ownAgent(api: Api, thread: ThreadView): Promise<AgentDefinition> {
  const { tenantId, threadId } = thread
  const [last] = await api.read.runs(tenantId, { threadId, limit: 1 })
  if (last && !api.agents.has(last.agent))
    throw new Problem('unknown_agent', {
      detail: `The agent "${last.agent}" of the thread ${threadId} is not configured any more, so nobody can sum it up.`,
    })
  return anyAgent(api, thread)
}
