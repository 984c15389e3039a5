/** What one run waits for: calls that a human must approve, calls nobody knows the outcome of. */
import type { RunHead } from '@signalbox/engine'
import type { ReadModel } from '../read-model.ts'
import { waitsBelowForApproval, waitsForApproval } from './wire/approval-view.ts'
import { type Waiting, waitsBelowForResolution, waitsForResolution } from './wire/run-view.ts'

/** Empty unless the run waits. */
export async function approvalsWaiting(
  read: Pick<ReadModel, 'approvals' | 'waiting'>,
  head: RunHead,
): Promise<readonly Waiting[]> {
  if (head.status !== 'waiting') return []
  const { tenantId, runId } = head
  const [asked, { unknown }] = await Promise.all([
    read.approvals(tenantId, { runId }),
    read.waiting(tenantId),
  ])
  return [
    ...asked.map(waitsForApproval),
    ...unknown.filter((effect) => effect.runId === runId).map(waitsForResolution),
  ]
}

/** The same, and of a run that waits for nothing but humans in runs below it what these wait for. */
export async function waitingInTree(
  read: Pick<ReadModel, 'approvals' | 'waiting' | 'listedRun'>,
  head: RunHead,
): Promise<readonly Waiting[]> {
  if (head.waitsBelow !== true) return approvalsWaiting(read, head)
  const { tenantId, runId } = head
  const [asked, { unknown }, run] = await Promise.all([
    read.approvals(tenantId, { treeOf: runId }),
    read.waiting(tenantId),
    read.listedRun(tenantId, runId),
  ])
  const below = new Set([runId, ...(run?.waitsFor?.below ?? []).map((each) => each.runId)])
  return [
    ...asked.map((each) =>
      each.runId === runId ? waitsForApproval(each) : waitsBelowForApproval(each),
    ),
    ...unknown
      .filter((effect) => below.has(effect.runId))
      .map((effect) =>
        effect.runId === runId ? waitsForResolution(effect) : waitsBelowForResolution(effect),
      ),
  ]
}
