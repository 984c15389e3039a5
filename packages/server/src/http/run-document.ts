/** Runs as documents: the head of a run, and what only its events say. */
import { type FactPayload, factSchemas } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import type { ReadModel } from '../read-model.ts'
import { type Parent, type Run, runView, type Waiting } from './wire/run-view.ts'

/** Reads what the head does not hold: nothing, but for a run that a run has started, and for a rerun. */
export async function runDocument(
  read: Pick<ReadModel, 'runEvents'>,
  head: RunHead,
  waiting?: readonly Waiting[],
): Promise<Run> {
  const { tenantId, runId, parent } = head
  // The metadata of a rerun says so; whether it is one, only its first event does.
  const isMore = parent !== null || 'rerun_of' in head.metadata
  const [created] = isMore ? await read.runEvents(tenantId, runId, { after: 0, limit: 1 }) : []
  const details = { parent: parentOf(head, created), rerunOf: rerunOf(created) }
  return runView(head, waiting === undefined ? details : { ...details, waiting })
}

/** Who started a run, by its head, and for which call, by its first event. */
export function parentOf({ parent }: RunHead, created?: StoredEvent): Parent | null {
  if (!parent) return null
  const asked: FactPayload<'run.created'>['parent'] = factSchemas['run.created']
    .pick({ parent: true })
    .parse(created?.payload ?? {}).parent
  return { run_id: parent.runId, call_id: asked?.callId ?? null }
}

/** The run that a run repeats, by its first event; null if none. */
export const rerunOf = (created?: StoredEvent): string | null =>
  factSchemas['run.created'].pick({ rerun: true }).parse(created?.payload ?? {}).rerun?.runId ??
  null
