/** Deleting threads and runs: for their users, never from the log. */
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from './api.ts'
import { recordCancel } from './cancel-run.ts'
import { unknownThread } from './find.ts'
import { Problem } from './problem.ts'

/** Runs may be created while others are cancelled: then it is tried again, this often. */
const triesMax = 5

/** Ends what is under way and hides the thread. Answers whether it was there. */
export async function removeThread(
  api: Api,
  caller: Identified,
  threadId: string,
): Promise<boolean> {
  const { tenantId } = caller
  if (!(await api.read.thread(tenantId, threadId))) return false
  const [newest] = await api.read.runs(tenantId, { threadId, limit: 1, rolledBack: true })
  for (let tries = 0; tries < triesMax; tries++) {
    await cancelAll(api, caller, threadId)
    const lastRunId = newest?.runId ?? null
    const answer = await api.commands.hideThread({ ...caller, threadId, lastRunId })
    if (answer !== 'busy') return answer === 'hidden'
  }
  throw new Problem('thread_busy', {
    detail: `Runs are being created on the thread ${threadId}. Delete it when nobody does.`,
    field: 'thread_id',
  })
}

/** The same, for a thread that must be there. */
export async function deleteThread(api: Api, caller: Identified, threadId: string): Promise<void> {
  if (!(await removeThread(api, caller, threadId))) throw unknownThread(threadId)
}

/** Ends the run if it is under way, and hides it. */
export async function deleteRun(api: Api, caller: Identified, head: RunHead): Promise<void> {
  await cancelOne(api, caller, head)
  await api.commands.hideRun({ ...caller, runId: head.runId })
}

const open = { among: { statuses: ['queued', 'running', 'waiting'], outcomes: [] } } as const

/** Page by page; what was asked to end already is passed over, and may take its time. */
async function cancelAll(api: Api, caller: Identified, threadId: string): Promise<void> {
  for (;;) {
    const page = await api.read.runs(caller.tenantId, { threadId, ...open })
    const left = page.filter((run) => !run.cancelRequested)
    for (const run of left) await cancelOne(api, caller, run)
    if (left.length === 0) return
  }
}

async function cancelOne(api: Api, caller: Identified, run: RunHead): Promise<void> {
  if (run.status === 'ended') return
  await recordCancel(api, caller, { run, reason: 'deleted' })
}
