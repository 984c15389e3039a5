/** Runs as documents: the head of a run, and what only its events say. */
import { type FactPayload, factSchemas } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import type { ReadModel } from '../read-model.ts'
import { type Parent, type Run, runView, type Waiting } from './wire/run-view.ts'

/** Reads what the head does not hold: nothing, but for a run that a run has started. */
export async function runDocument(
  read: Pick<ReadModel, 'runEvents'>,
  head: RunHead,
  waiting?: readonly Waiting[],
): Promise<Run> {
  const { tenantId, runId } = head
  const [created] = head.parent ? await read.runEvents(tenantId, runId, { after: 0, limit: 1 }) : []
  const parent = parentOf(head, created)
  return runView(head, waiting === undefined ? { parent } : { parent, waiting })
}

/** Who started a run, by its head, and for which call, by its first event. */
export function parentOf({ parent }: RunHead, created?: StoredEvent): Parent | null {
  if (!parent) return null
  const asked: FactPayload<'run.created'>['parent'] = factSchemas['run.created']
    .pick({ parent: true })
    .parse(created?.payload ?? {}).parent
  return { run_id: parent.runId, call_id: asked?.callId ?? null }
}
