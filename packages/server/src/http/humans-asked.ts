/** The things that one run waits for: calls that a human must approve, questions that one must answer, calls nobody knows the outcome of. */
import type { RunHead } from '@signalbox/engine'
import type { ReadModel } from '../read-model.ts'
import { waitsBelowForApproval, waitsForApproval } from './wire/approval-view.ts'
import { waitsBelowForInput, waitsForInput } from './wire/input-view.ts'
import { type Waiting, waitsBelowForResolution, waitsForResolution } from './wire/run-view.ts'

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

/** The same, and of a run that waits for nothing but humans in runs below it what these wait for. */
export async function waitingInTree(
  read: Pick<ReadModel, 'approvals' | 'inputs' | 'waiting' | 'listedRun'>,
  head: RunHead,
): Promise<readonly Waiting[]> {
  if (head.waitsBelow !== true) return humansAsked(read, head)
  const { tenantId, runId } = head
  const [asked, questions, { unknown }, run] = await Promise.all([
    read.approvals(tenantId, { treeOf: runId }),
    read.inputs(tenantId, { treeOf: runId }),
    read.waiting(tenantId),
    read.listedRun(tenantId, runId),
  ])
  const below = new Set([runId, ...(run?.waitsFor?.below ?? []).map((each) => each.runId)])
  const isOwn = (each: { readonly runId: string }): boolean => each.runId === runId
  return [
    ...asked.map((each) => (isOwn(each) ? waitsForApproval(each) : waitsBelowForApproval(each))),
    ...questions.map((each) => (isOwn(each) ? waitsForInput(each) : waitsBelowForInput(each))),
    ...unknown
      .filter((effect) => below.has(effect.runId))
      .map((effect) =>
        isOwn(effect) ? waitsForResolution(effect) : waitsBelowForResolution(effect),
      ),
  ]
}
