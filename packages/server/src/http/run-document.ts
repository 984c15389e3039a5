/** Runs as documents: the head of a run, and what only its events say. */
import { type FactPayload, factSchemas } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import type { ListedRun } from '@signalbox/postgres'
import type { ReadModel } from '../read-model.ts'
import { failedOutcomes, type RunError, runErrorOf } from './wire/run-error.ts'
import { type Parent, type Run, runView, type Waiting } from './wire/run-view.ts'

/** Reads what the head does not hold: nothing, but for a run that a run has started, for a rerun, a retry, and one that failed. */
export async function runDocument(
  read: RunReads,
  head: RunHead,
  waiting?: readonly Waiting[],
): Promise<Run> {
  const { tenantId, runId, parent, metadata } = head
  // The metadata of a rerun says so; whether it is one, only its first event does.
  const isMore = parent !== null || 'rerun_of' in metadata || 'retry_of' in metadata
  const [[created], error] = await Promise.all([
    isMore ? read.runEvents(tenantId, runId, { after: 0, limit: 1 }) : [],
    errorOfRun(read, head),
  ])
  const details = { parent: parentOf(head, created), ...linksOf(created), error }
  return runView(head, waiting === undefined ? details : { ...details, waiting })
}

/** What a document of a run may read. */
export type RunReads = Pick<ReadModel, 'runEvents' | 'listedRun'>

/** Why a run failed. Reads nothing of any other. */
export async function errorOfRun(
  read: Pick<ReadModel, 'listedRun'>,
  { tenantId, runId, outcome }: RunHead,
): Promise<RunError | null> {
  if (!failedOutcomes.has(outcome)) return null
  const run = await read.listedRun(tenantId, runId)
  return run?.failure ? runErrorOf(run.failure) : null
}

/** The same of a run that was listed, from what was read with it. */
export const listedDocument = (run: ListedRun, waiting?: readonly Waiting[]): Run =>
  runView(run, {
    parent: run.parent && { run_id: run.parent.runId, call_id: run.parentCall },
    rerunOf: run.rerunOf,
    retryOf: run.retryOf,
    error: run.failure && runErrorOf(run.failure),
    endedAt: run.endedAt,
    waitsFor: run.waitsFor,
    ...(waiting === undefined ? {} : { waiting }),
  })

/** Who started a run, by its head, and for which call, by its first event. */
export function parentOf({ parent }: RunHead, created?: StoredEvent): Parent | null {
  if (!parent) return null
  const asked: FactPayload<'run.created'>['parent'] = factSchemas['run.created']
    .pick({ parent: true })
    .parse(created?.payload ?? {}).parent
  return { run_id: parent.runId, call_id: asked?.callId ?? null }
}

/** The run that a run repeats, and the one that it asks once more, by its first event; null if none. */
export function linksOf(created?: StoredEvent): {
  readonly rerunOf: string | null
  readonly retryOf: string | null
} {
  const { rerun, retry } = factSchemas['run.created']
    .pick({ rerun: true, retry: true })
    .parse(created?.payload ?? {})
  return { rerunOf: rerun?.runId ?? null, retryOf: retry?.runId ?? null }
}
