/**
 * Performing a tool call: claim, check, run, report.
 *
 * T1 Nothing executes before its claim is committed (I10); a refused claim executes nothing.
 * T2 The arguments that run are the arguments that were judged: their hash is compared before the call (I11).
 * T3 A `once` call whose lease expired is never run again: it becomes unknown (I8).
 * T4 The tool sees the effect id as its idempotency key, the same on every attempt (I9).
 * T5 What may have been forbidden since the decision is asked again before the call, and deny wins.
 * T6 Nothing executes after its lease or its run ended: that is asked last (L1 of the leases).
 * T7 A result is stored and reported though a cancel has come meanwhile: it happened.
 */
import {
  type AgentDefinition,
  type FactPayload,
  type FileChanges,
  type JsonObject,
  pinnedSkills,
  type Redaction,
  type ToolCallEffect,
} from '@signalbox/core'
import { AbortError, messageOf } from '../errors.ts'
import type {
  EffectRow,
  FactDraft,
  Register,
  Reserved,
  StreamGuardrails,
  ThreadRef,
  ToolHost,
  ToolOutcome,
  ToolRequest,
  WakeBus,
} from '../ports.ts'
import type { Digests } from '../record/digests.ts'
import { canonical, type Writer } from '../record/draft.ts'
import { withinEffect } from '../record/patience.ts'
import type { Bundles } from './bundles.ts'
import { about, type CallTask, cancelled, deniedNow, options, overBudget } from './call-facts.ts'
import type { Content } from './content.ts'
import { fieldsOf } from './fields.ts'
import type { Files } from './files.ts'
import { cleanNote, cleanOutput, cleanWords } from './guard.ts'
import { placeImages } from './images.ts'
import { editedCall } from './edited-call.ts'
import type { Held } from './leases.ts'
import { reportProgress } from './progress.ts'
import { keepMemory, type MemoryCallDeps, memoryOfCall } from './memory-call.ts'
import type { Memories } from './memories.ts'
import { keepResult, readResultTool } from './read-result.ts'
import { type Denial, recheck, type RecheckDeps } from './recheck.ts'
import { saidIn } from './said.ts'

export interface ToolCallDeps extends RecheckDeps {
  readonly register: Pick<Register, 'conversation' | 'events' | 'reserve'> &
    MemoryCallDeps['register']
  readonly memories: Memories
  readonly tools: ToolHost
  readonly guardrails: StreamGuardrails
  readonly content: Content
  readonly files: Files
  readonly bundles: Pick<Bundles, 'read'>
  readonly digests: Digests
  readonly writer: Writer
  readonly wakeBus: Pick<WakeBus, 'publishDelta'>
}

export type ToolTask = CallTask<ToolCallEffect>

/** Runs the call and answers the fact about it. Null: the signal was aborted for another reason than a cancel. */
export async function performToolCall(
  deps: ToolCallDeps,
  asked: ToolTask,
  held: Held,
): Promise<FactDraft | null> {
  const { signal } = held
  const began = deps.clock.monotonic()
  const outcome = await checkAndRun(deps, asked, held).catch((error: unknown): ToolOutcome => {
    // Of what throws, nothing has begun: the lease was lost, or a cancel came. Of an attempt that was lost before, nobody knows.
    if (!signal.aborted) throw error
    return { status: 'aborted', settled: asked.attempt === 1 }
  })
  if ('payload' in outcome) return outcome
  const durationMs = Math.round(deps.clock.monotonic() - began)
  if (outcome.status !== 'aborted')
    return held.keep(() => report(deps, asked, { outcome, durationMs }))
  const cause = signal.reason instanceof AbortError ? signal.reason.abortCause : 'shutdown'
  return cause === 'cancelled' ? held.keep(() => aborted(deps, asked, outcome.settled)) : null
}

/** The outcome of the tool, or the fact that it was not asked. */
async function checkAndRun(
  deps: ToolCallDeps,
  asked: ToolTask,
  held: Held,
): Promise<ToolOutcome | FactDraft> {
  const { effect, row } = asked
  const call = effect.edited ? await editedCall(deps.register, row, effect) : asked.call
  const task = { ...asked, call }
  if (!(await isJudged(deps.digests, task))) {
    const message = 'the stored call is not the one that was judged'
    return { status: 'failed', error: { code: 'call_changed', message } }
  }
  const denied = await recheck(deps, task, held.signal)
  if (denied) return refused(deps, task, denied)
  const share = await reserveCall(deps.register, task)
  if (share?.code === 'refused') return overBudget(deps.writer, task, share)
  const fields = await fieldsOf(deps, row)
  const agent = await deps.views.definition(row.definitionHash)
  await held.begin()
  return runTool(deps, { ...task, fields, agent }, held.signal)
}

/** Is it the call that was judged, with the arguments that were? */
export const isJudged = async (
  digests: Digests,
  { row, effect, call }: CallTask<Pick<ToolCallEffect, 'tool' | 'argsHash'>>,
): Promise<boolean> =>
  call.name === effect.tool && (await digests.matches(row.tenantId, call.args, effect.argsHash))

/**
 * A policy forbids it by now: the call does not run, and the model reads why. After an attempt that was lost nobody can say
 * that it did not, unless nothing stays of one.
 */
async function refused(deps: ToolCallDeps, task: ToolTask, denial: Denial): Promise<FactDraft> {
  if (task.attempt > 1 && !(await leavesNothing(deps, task)))
    return unknown(deps, task, 'worker_lost')
  return deniedNow(deps.writer, task, denial)
}

/** A call of a run that shares a budget takes one call from it. */
export async function reserveCall(
  register: Pick<Register, 'reserve'>,
  { row, effect }: { readonly row: EffectRow; readonly effect: { readonly shared?: unknown } },
): Promise<Reserved | null> {
  if (effect.shared !== true) return null
  const { effectId, runId, rootId } = row
  const call = { turns: 0, calls: 1, tokens: 0, cost: 0 } as const
  return register.reserve({ rootId: rootId ?? runId, runId, effectId, ...call })
}

async function runTool(
  deps: ToolCallDeps,
  task: ToolTask & { readonly fields: JsonObject | null; readonly agent: AgentDefinition },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { row, effect, call, attempt, fields, agent } = task
  const place = { runId: row.runId, callId: call.id, attempt }
  const { tree, read } = deps.files.of(row)
  const memory = memoryOfCall(deps, row, call.id)
  const request = {
    name: effect.tool,
    version: effect.toolVersion,
    args: call.args,
    idempotencyKey: effect.id,
    attempt,
    tenantId: row.tenantId,
    threadId: row.threadId,
    runId: row.runId,
    callId: call.id,
    timeoutMs: effect.timeoutMs,
    ...(fields ? { fields } : {}),
    progress: reportProgress(deps.wakeBus, place, (note) =>
      cleanNote(deps.guardrails, agent, note),
    ),
    files: { tree: withinEffect(tree), read: withinEffect(read) },
    said: withinEffect(saidIn(deps, row)),
    ...skillsOf(deps, agent, effect),
    memory: {
      change: withinEffect(memory.change),
      search: withinEffect(memory.search),
    },
  }
  try {
    return await deps.tools.call(request, signal)
  } catch (error) {
    // The wait was given up with the call: that says nothing of the answer it would have had.
    if (signal.aborted) return { status: 'aborted', settled: false }
    return { status: 'failed', error: { code: 'tool_host', message: messageOf(error) } }
  }
}

/** The skills of the run, as the tool is given them. */
function skillsOf(
  { bundles }: Pick<ToolCallDeps, 'bundles'>,
  agent: AgentDefinition,
  { skills: loaded = [] }: ToolCallEffect,
): Pick<ToolRequest, 'skills'> {
  const pinned = pinnedSkills(agent)
  if (pinned.length === 0) return {}
  return { skills: { pinned, loaded, bundle: withinEffect((skill) => bundles.read(skill)) } }
}

type Finished = Exclude<ToolOutcome, { status: 'aborted' }>

async function report(
  deps: ToolCallDeps,
  task: ToolTask,
  result: { readonly outcome: Finished; readonly durationMs: number },
): Promise<FactDraft> {
  const { writer } = deps
  const { durationMs } = result
  const agent = await deps.views.definition(task.row.definitionHash)
  const { outcome, files } = await keepFiles(deps.files, task.row, result.outcome)
  if (outcome.status === 'failed' && outcome.unknown && task.effect.mode === 'once')
    return unknown(deps, task)
  const { callId, tool } = task.effect
  const called = { callId, tool }
  if (outcome.status === 'failed') {
    const { code } = outcome.error
    const said = await cleanWords(deps.guardrails, agent, {
      words: outcome.error.message,
      ...called,
    })
    const error = { code, message: said.words }
    const told = agent.guardrails.recordsFailures ? taken(said) : {}
    const payload = { ...about(task), error, durationMs, ...told }
    return writer.fact('tool.failed', payload, { ...options(task), verdict: 'failed' })
  }
  const answered = await placeImages(deps.content, { agent, thread: task.row }, outcome)
  const looked = await cleanOutput(deps.guardrails, agent, { output: answered, ...called })
  const said = looked.output.content
  // An answer of `read_result` is never moved.
  const parts = task.effect.tool === readResultTool ? said : await keepResult(deps, task.row, said)
  const output = { ...looked.output, content: [...parts] }
  const verdict = output.isError ? 'error' : 'ok'
  const digest = await deps.digests.by(task.row.tenantId, agent)
  const resultHash = digest.short(canonical(said), 16)
  const changed = files ? { files } : {}
  const ran = outcome.sandbox ? { sandbox: outcome.sandbox } : {}
  const drafts = outcome.memory ?? []
  const memory = await keepMemory(deps.content, task.row, drafts)
  const remembered = memory.length > 0 ? { memory } : {}
  const brought = { ...changed, ...remembered, ...ran, ...loadedIn(agent, outcome) }
  const told = { ...brought, ...taken(looked) }
  const payload = { ...about(task), output, durationMs, resultHash, ...told }
  return writer.fact('tool.completed', payload, { ...options(task), verdict })
}

/** The skill whose instructions a result answers, with the digest of the files that were read. */
function loadedIn(
  agent: AgentDefinition,
  { skill: name }: Pick<Extract<Finished, { status: 'completed' }>, 'skill'>,
): Pick<FactPayload<'tool.completed'>, 'skill'> {
  const skill = pinnedSkills(agent).find((each) => each.name === name)
  return skill ? { skill: { name: skill.name, digest: skill.digest } } : {}
}

/** The redactions of guardrails, for the log. */
const taken = ({ redactions }: { readonly redactions: readonly Redaction[] }) =>
  redactions.length > 0 ? { redactions: [...redactions] } : {}

/** The files that a call changed are stored before its result. A call that changed too much has failed, and changed nothing. */
async function keepFiles(
  files: Files,
  thread: ThreadRef,
  outcome: Finished,
): Promise<{ readonly outcome: Finished; readonly files: FileChanges | null }> {
  if (outcome.status !== 'completed' || !outcome.files) return { outcome, files: null }
  const kept = await files.keep(thread, outcome.files)
  if (kept.code === 'ok') return { outcome, files: kept.files }
  const error = { code: 'files_refused', message: kept.message }
  return { outcome: { status: 'failed', error }, files: null }
}

/** Does nothing stay of an attempt without an answer? So it is where a tool only reads, and where nothing but its result leaves it. */
async function leavesNothing({ views }: ToolCallDeps, { row, effect }: ToolTask): Promise<boolean> {
  if (effect.mode === 'read') return true
  const { tools } = await views.definition(row.definitionHash)
  return tools.some(({ name, contained }) => name === effect.tool && contained === true)
}

/** After a cancel: a call that did not come back may have happened, unless nothing stays of one. */
async function aborted(deps: ToolCallDeps, task: ToolTask, settled: boolean): Promise<FactDraft> {
  if (!settled && !(await leavesNothing(deps, task))) return unknown(deps, task)
  return cancelled(deps.writer, task)
}

/** Nobody knows whether it happened: an operator decides, or, by the agent's policy, the model is told so. */
async function unknown(
  { writer, views }: ToolCallDeps,
  task: ToolTask,
  reason: 'not_settled' | 'worker_lost' = 'not_settled',
): Promise<FactDraft> {
  const { onUnknown } = await views.definition(task.row.definitionHash)
  const payload = { ...about(task), reason }
  return writer.fact('tool.unknown', payload, {
    ...options(task, onUnknown === 'ask' ? 'unknown' : 'done'),
    key: `${task.effect.id}:unknown:${task.attempt}`,
    verdict: 'unknown',
  })
}
