/** What a checkpoint means to the register: a moment of a conversation. */
import { decisionSchemas, limits } from '@signalbox/core'
import type { Moment, RunHead } from '@signalbox/engine'
import type { ReadModel } from '../../read-model.ts'
import { checkpointId, parseCheckpointId } from './checkpoint.ts'

/**
 * The moment that an id names: after the verdicts of its decision, which stand behind it and belong to it. Null for what is
 * no id, and for a run that the tenant has not.
 */
export async function momentOfId(
  read: Pick<ReadModel, 'runEvents'>,
  tenantId: string,
  id: string,
): Promise<Moment | null> {
  const place = parseCheckpointId(id)
  if (!place) return null
  const { runId, seq } = place
  const page = { after: seq - 1, limit: limits.pageMax }
  const [named, ...behind] = await read.runEvents(tenantId, runId, page)
  if (named?.type !== 'run.transitioned') return named ? place : null
  const other = behind.findIndex(({ type }) => !isVerdict(type))
  return { runId, seq: seq + (other < 0 ? behind.length : other) }
}

/** The checkpoint where the words of a run stand, and nothing else of it: its first decision. Null while it waits for its turn. */
export async function inputCheckpoint(
  read: Pick<ReadModel, 'runEvents'>,
  { tenantId, runId, place }: RunHead,
): Promise<string | null> {
  if (place === null) return null
  const events = await read.runEvents(tenantId, runId, { after: 0, limit: limits.pageMax })
  const admitted = events.findIndex(({ type }) => type === 'run.admitted')
  const first = events.slice(admitted).find(({ type }) => type === 'run.transitioned')
  return admitted < 0 || !first ? null : checkpointId(runId, first.seq)
}

const isVerdict = (type: string): boolean =>
  type !== 'run.transitioned' && Object.hasOwn(decisionSchemas, type)
