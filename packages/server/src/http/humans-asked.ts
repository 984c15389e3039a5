/** The things that one run waits for: calls that a human must approve, questions that one must answer, calls nobody knows the outcome of. */
import type { RunHead } from '@signalbox/engine'
import type { ReadModel } from '../read-model.ts'
import { waitsForApproval } from './wire/approval-view.ts'
import { waitsForInput } from './wire/input-view.ts'
import { type Waiting, waitsForResolution } from './wire/run-view.ts'

/** Empty unless the run waits. */
export async function humansAsked(
  read: Pick<ReadModel, 'approvals' | 'inputs' | 'waiting'>,
  head: RunHead,
): Promise<readonly Waiting[]> {
  if (head.status !== 'waiting') return []
  const { tenantId, runId } = head
  const [asked, questions, { unknown }] = await Promise.all([
    read.approvals(tenantId, { runId }),
    read.inputs(tenantId, { runId }),
    read.waiting(tenantId),
  ])
  return [
    ...asked.map(waitsForApproval),
    ...questions.map(waitsForInput),
    ...unknown.filter((effect) => effect.runId === runId).map(waitsForResolution),
  ]
}
