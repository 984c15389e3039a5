/** What one run waits for: calls that a human must approve, calls nobody knows the outcome of. */
import type { RunHead } from '@signalbox/engine'
import type { ReadModel } from '../read-model.ts'
import { waitsForApproval } from './wire/approval-view.ts'
import { type Waiting, waitsForResolution } from './wire/run-view.ts'

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
