/**
 * Recalling the result of a call in a rerun, from the log of the run that it repeats.
 *
 * E1 Nothing executes: no tool, no child, no policy is asked. So a recall may be repeated after any failure.
 * E2 The n-th call of a tool with some arguments gets what became of the n-th such call there: the same answer whoever looks,
 *    and however often, since both logs stand still up to there.
 * E3 What was not recorded is never made up: the rerun is told so, and ends.
 */
import {
  decisionSchemas,
  factSchemas,
  type FactPayload,
  type MissedRecall,
  payloadOf,
  readFact,
  resultOf,
  type ToolRecallEffect,
} from '@signalbox/core'
import type { EffectRow, FactDraft, Register, StoredEvent } from '../ports.ts'
import { canonical, sha256, type Writer } from '../record/draft.ts'
import { carryContent, carryFiles } from './carry.ts'
import { logOf, type RecordedCall, type Recordings, recordingKey } from './recordings.ts'

export interface RecallDeps {
  readonly register: Register
  readonly recordings: Recordings
  readonly writer: Writer
}

export interface RecallTask {
  readonly row: EffectRow
  readonly effect: ToolRecallEffect
  readonly attempt: number
}

/** Looks the result up, and answers the fact about it. */
export async function performRecall(deps: RecallDeps, task: RecallTask): Promise<FactDraft> {
  const { register, recordings } = deps
  const { effect, row } = task
  const { source, before } = await placeOf(register, task)
  const head = await register.head(source)
  const isOwn = head?.tenantId === row.tenantId
  const recorded = isOwn
    ? ((await recordings.of(source)).get(recordingKey(effect.tool, effect.argsHash)) ?? [])
    : []
  const call = recorded[before]
  const miss = (reason: MissedRecall) =>
    missed(deps.writer, task, { reason, recorded: recorded.length })
  const why = whyMissed(call, recorded.length)
  if (why !== null) return miss(why)
  const [event] = await register.events(source, { after: (call?.end?.seq ?? 1) - 1, limit: 1 })
  const fact = event ? await recalled(deps, task, event) : null
  return fact ?? miss('erased')
}

/** Which run is repeated, and how many calls of this kind the rerun has asked for before. Rejects with a `NewerError` where the log is newer. */
export async function placeOf(
  register: Pick<Register, 'events'>,
  { row, effect }: Pick<RecallTask, 'row' | 'effect'>,
): Promise<{ readonly source: string; readonly before: number }> {
  const key = recordingKey(effect.tool, effect.argsHash)
  let source = ''
  let before = 0
  for await (const event of logOf(register, row.runId)) {
    if (event.type === 'run.created')
      source = payloadOf(factSchemas['run.created'], event).rerun?.runId ?? ''
    if (event.type !== 'run.transitioned') continue
    for (const other of payloadOf(decisionSchemas['run.transitioned'], event).effects) {
      if (other.id === effect.id) return { source, before }
      if (other.kind === 'tool.recall' && recordingKey(other.tool, other.argsHash) === key)
        before += 1
    }
  }
  return { source, before }
}

const silent = new Set(['tool.aborted', 'budget.refused', 'recall.missed'])

/** Null: it has a result. */
function whyMissed(call: RecordedCall | undefined, recorded: number): MissedRecall | null {
  if (!call) return recorded === 0 ? 'never_made' : 'used_up'
  if (!call.end || silent.has(call.end.type)) return 'no_result'
  return call.end.type === 'tool.unknown' ? 'unknown' : null
}

/** The recorded end as an end of this call; null if it was erased. */
async function recalled(
  deps: RecallDeps,
  task: RecallTask,
  event: StoredEvent,
): Promise<FactDraft | null> {
  const options = { ...optionsOf(task), verdict: 'recalled' }
  const from = { ...about(task), recalled: { runId: event.runId, seq: event.seq } }
  if (event.type === 'call.denied') {
    const said = decisionSchemas['call.denied'].safeParse(event.payload)
    if (!said.success) return null
    const { tool } = task.effect
    const { code, message, policyId = '', policyDigest = '' } = said.data
    const reasons = [{ code, message }]
    const answer = { effect: 'deny', reasons, policyId, policyDigest } as const
    const payload = { ...from, tool, answer, configuration: 'pinned' } as const
    return deps.writer.fact('tool.denied', payload, options)
  }
  // An erased payload is none that its type can have.
  if (event.salt === '') return null
  const fact = readFact(event)
  switch (fact?.type) {
    case 'tool.failed': {
      const { error } = fact.payload
      return deps.writer.fact('tool.failed', { ...from, error, durationMs: 0 }, options)
    }
    case 'tool.denied': {
      const { tool, answer, configuration } = fact.payload
      return deps.writer.fact('tool.denied', { ...from, tool, answer, configuration }, options)
    }
    case 'tool.completed':
      return completed(deps, task, { event, payload: fact.payload })
    case 'child.ended':
    case 'tool.resolved': {
      const { output } = resultOf(fact) ?? {}
      const resultHash = fact.type === 'child.ended' ? { resultHash: fact.payload.resultHash } : {}
      return output ? completed(deps, task, { event, payload: { output, ...resultHash } }) : null
    }
    default:
      return null
  }
}

/** Content is carried into the thread of the rerun first: blobs are there before the event that names them. */
async function completed(
  { register, writer }: RecallDeps,
  task: RecallTask,
  said: {
    readonly event: StoredEvent
    readonly payload: Pick<FactPayload<'tool.completed'>, 'output' | 'resultHash' | 'files'>
  },
): Promise<FactDraft> {
  const { event } = said
  const { output, files } = said.payload
  const way = { register, from: event, to: task.row }
  await carryContent(way, output.content)
  if (files) await carryFiles(way, files)
  const resultHash = said.payload.resultHash ?? sha256(canonical(output.content)).slice(0, 16)
  const payload = {
    ...about(task),
    output,
    durationMs: 0,
    resultHash,
    ...(files ? { files } : {}),
    recalled: { runId: event.runId, seq: event.seq },
  }
  return writer.fact('tool.completed', payload, { ...optionsOf(task), verdict: 'recalled' })
}

function missed(
  writer: Writer,
  task: RecallTask,
  why: Pick<FactPayload<'recall.missed'>, 'reason' | 'recorded'>,
): FactDraft {
  const { tool, argsHash } = task.effect
  const payload = { ...about(task), tool, argsHash, ...why }
  return writer.fact('recall.missed', payload, { ...optionsOf(task), verdict: why.reason })
}

const about = ({ effect, attempt }: RecallTask) => ({
  effectId: effect.id,
  attempt,
  callId: effect.callId,
})

const optionsOf = ({ effect, attempt }: RecallTask) => ({
  key: effect.id,
  fence: { effectId: effect.id, attempt, expect: 'started', becomes: 'done' } as const,
  tool: effect.tool,
})
