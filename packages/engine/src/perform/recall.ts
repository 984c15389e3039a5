/**
 * Recalling the result of a call in a rerun, from the log of the run that it repeats.
 *
 * E1 Nothing executes: no tool, no child, no policy is asked. So a recall may be repeated after any failure.
 * E2 The n-th call of a tool with some arguments gets what became of the n-th such call there: the same answer whoever looks,
 *    and however often, since both logs stand still up to there.
 * E3 What was not recorded is never made up: the rerun is told so, and ends.
 */
import {
  decidedResult,
  decisionSchemas,
  factSchemas,
  type FactPayload,
  type MissedRecall,
  payloadOf,
  readFact,
  type Redaction,
  resultOf,
  type ToolOutput,
  type ToolRecallEffect,
} from '@signalbox/core'
import type { EffectRow, FactDraft, Register, StoredEvent, StreamGuardrails } from '../ports.ts'
import { type Digests, isKeyed } from '../record/digests.ts'
import { canonical, type Writer } from '../record/draft.ts'
import type { Views } from '../record/view.ts'
import { about, options } from './call-facts.ts'
import { carryContent, carryFiles } from './carry.ts'
import type { Content } from './content.ts'
import { cleanOutput, cleanWords, looksAtResults } from './guard.ts'
import { keepResult } from './read-result.ts'
import {
  logOf,
  type RecordedCall,
  type RecordedAnswers,
  type Recordings,
  recordingKey,
  argsHashesOf,
} from './recordings.ts'

export interface RecallDeps {
  readonly register: Register
  readonly recordings: Recordings
  readonly writer: Writer
  readonly digests: Digests
  readonly guardrails: StreamGuardrails
  readonly content: Content
  readonly views: Pick<Views, 'definition'>
}

export interface RecallTask {
  readonly row: EffectRow
  readonly effect: ToolRecallEffect
  readonly attempt: number
}

/** Looks the result up, and answers the fact about it. */
export async function performRecall(deps: RecallDeps, task: RecallTask): Promise<FactDraft> {
  const { register, recordings } = deps
  const { row } = task
  const { source, before } = await rerunPlace(register, task)
  const head = await register.head(source)
  const isOwn = head?.tenantId === row.tenantId
  const found = isOwn ? await recordedAs(deps, await recordings.of(source), task) : null
  const recorded = found?.calls ?? []
  const call = recorded[before]
  const miss = (reason: MissedRecall) =>
    missed(deps.writer, task, { reason, recorded: recorded.length })
  const why = whyMissed(call, recorded.length)
  if (why !== null) return miss(why)
  const [event] = await register.events(source, { after: (call?.end?.seq ?? 1) - 1, limit: 1 })
  const fact =
    event && found ? await recalled(deps, task, { event, argsHash: found.argsHash }) : null
  return fact ?? miss('erased')
}

/** The calls of the source that are like this one, and the digest its log knows their arguments by: perhaps of another scheme. */
async function recordedAs(
  { digests }: RecallDeps,
  recording: RecordedAnswers,
  { row, effect: { tool, argsHash } }: RecallTask,
): Promise<{ readonly calls: readonly RecordedCall[]; readonly argsHash: string }> {
  const callsAt = (known: string) => recording.get(recordingKey(tool, known))
  const same = callsAt(argsHash)
  if (same) return { calls: same, argsHash }
  const { args: keyed } = await digests.keyed(row.tenantId)
  const known = isKeyed(argsHash)
    ? argsHashesOf(recording, tool).find((plain) => keyed(plain) === argsHash)
    : keyed(argsHash)
  return { calls: callsAt(known ?? argsHash) ?? [], argsHash: known ?? argsHash }
}

/** Which run is repeated, and how many calls of this kind the rerun has asked for before. Rejects with a `NewerError` where the log is newer. */
export async function rerunPlace(
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

/** An end in the log that is repeated, and the digest by which that knows the arguments. */
interface Source {
  readonly event: StoredEvent
  readonly argsHash: string
}

/** A result, as the log that is repeated has it. */
interface Said {
  readonly source: Source
  readonly payload: Pick<FactPayload<'tool.completed'>, 'output' | 'resultHash' | 'files' | 'skill'>
}

/** The recorded end as an end of this call; null if it was erased. */
async function recalled(
  deps: RecallDeps,
  task: RecallTask,
  source: Source,
): Promise<FactDraft | null> {
  const { event } = source
  const how = { ...options(task), verdict: 'recalled' }
  const from = { ...about(task), recalled: { runId: event.runId, seq: event.seq } }
  if (event.type === 'call.denied') {
    const said = decisionSchemas['call.denied'].safeParse(event.payload)
    if (!said.success) return null
    const { tool } = task.effect
    const { code, message, policyId = '', policyDigest = '' } = said.data
    const reasons = [{ code, message }]
    const answer = { effect: 'deny', reasons, policyId, policyDigest } as const
    const payload = { ...from, tool, answer, configuration: 'pinned' } as const
    return deps.writer.fact('tool.denied', payload, how)
  }
  // An erased payload is none that its type can have.
  if (event.salt === '') return null
  if (event.type === 'input.expired') {
    const said = decisionSchemas['input.expired'].safeParse(event.payload)
    const output = said.success ? decidedResult(event)?.output : undefined
    return output ? completed(deps, task, { source, payload: { output } }) : null
  }
  const fact = readFact(event)
  switch (fact?.type) {
    case 'tool.failed': {
      const said = await failureOf(deps, task, fact.payload.error)
      return deps.writer.fact('tool.failed', { ...from, ...said, durationMs: 0 }, how)
    }
    case 'tool.denied': {
      const { tool, answer, configuration } = fact.payload
      return deps.writer.fact('tool.denied', { ...from, tool, answer, configuration }, how)
    }
    case 'tool.completed':
      return completed(deps, task, { source, payload: fact.payload })
    case 'child.ended':
    case 'input.answered':
    case 'tool.resolved': {
      const { output } = resultOf(fact) ?? {}
      const more = fact.type === 'child.ended' ? endedParts(fact.payload) : {}
      return output ? completed(deps, task, { source, payload: { output, ...more } }) : null
    }
    default:
      return null
  }
}

/** What the end of a run says of its answer, and of files that were taken over from it. */
const endedParts = ({ resultHash, files }: FactPayload<'child.ended'>) => ({
  resultHash,
  ...(files ? { files } : {}),
})

/**
 * Content is carried into the thread of the rerun first: blobs are there before the event that names them. Where a guardrail of the
 * rerun takes something out of it, what is left is kept instead: the definition may guard what that of the source did not.
 */
async function completed(deps: RecallDeps, task: RecallTask, said: Said): Promise<FactDraft> {
  const { register, writer } = deps
  const { event } = said.source
  const { output, files, skill } = said.payload
  const way = { register, from: event, to: task.row }
  const clean = await withoutFindings(deps, task, { from: event, output })
  // A guardrail looks at words, and leaves the images.
  const kept = output.content.filter(({ type }) => clean === null || type === 'image')
  await carryContent(way, kept)
  if (files) await carryFiles(way, files)
  const resultHash = await resultHashOf(deps, task, said)
  const payload = {
    ...about(task),
    output,
    ...clean,
    durationMs: 0,
    resultHash,
    ...(files ? { files } : {}),
    ...(skill ? { skill } : {}),
    recalled: { runId: event.runId, seq: event.seq },
  }
  return writer.fact('tool.completed', payload, { ...options(task), verdict: 'recalled' })
}

/** The words of a failure, as the guardrails of the rerun leave them. */
async function failureOf(
  deps: RecallDeps,
  { row, effect: { callId, tool } }: RecallTask,
  { code, message }: FactPayload<'tool.failed'>['error'],
): Promise<Pick<FactPayload<'tool.failed'>, 'error' | 'redactions'>> {
  const agent = await deps.views.definition(row.definitionHash)
  const said = await cleanWords(deps.guardrails, agent, { words: message, callId, tool })
  const isTold = agent.guardrails.recordsFailures && said.redactions.length > 0
  const error = { code, message: said.words }
  return isTold ? { error, redactions: [...said.redactions] } : { error }
}

/** The part of a result that the guardrails of the rerun leave, and what they took out; null if they take out nothing. */
async function withoutFindings(
  deps: RecallDeps,
  { row, effect: { callId, tool } }: RecallTask,
  { from, output }: { readonly from: StoredEvent; readonly output: ToolOutput },
): Promise<{ readonly output: ToolOutput; readonly redactions: Redaction[] } | null> {
  const agent = await deps.views.definition(row.definitionHash)
  if (!looksAtResults(agent)) return null
  const content = await deps.content.hydrate(from, output.content)
  const whole = { ...output, content }
  const looked = await cleanOutput(deps.guardrails, agent, { output: whole, callId, tool })
  if (canonical(looked.output) === canonical(whole)) return null
  const kept = await keepResult(deps, row, looked.output.content)
  return { output: { ...looked.output, content: kept }, redactions: [...looked.redactions] }
}

/** As the source knows the result, so that two are told apart as they were there; keyed, if this run keys its digests. */
async function resultHashOf(
  { digests, views }: RecallDeps,
  { row }: RecallTask,
  { source, payload: { output, resultHash } }: Said,
): Promise<string> {
  const agent = await views.definition(row.definitionHash)
  if (resultHash === undefined)
    return (await digests.by(row.tenantId, agent)).short(canonical(output.content), 16)
  if (agent.digests === 'sha256' || isKeyed(source.argsHash)) return resultHash
  return (await digests.keyed(row.tenantId)).digits(resultHash)
}

function missed(
  writer: Writer,
  task: RecallTask,
  why: Pick<FactPayload<'recall.missed'>, 'reason' | 'recorded'>,
): FactDraft {
  const { tool, argsHash } = task.effect
  const payload = { ...about(task), tool, argsHash, ...why }
  return writer.fact('recall.missed', payload, { ...options(task), verdict: why.reason })
}
