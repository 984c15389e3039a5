/**
 * Performing a tool call: claim, check, run, report.
 *
 * T1 Nothing executes before its claim is committed (I10); a refused claim executes nothing.
 * T2 The arguments that run are the arguments that were judged: their hash is compared before the call (I11).
 * T3 A `once` call whose lease expired is never run again: it becomes unknown (I8).
 * T4 The tool sees the effect id as its idempotency key, the same on every attempt (I9).
 */
import type { ToolCallEffect, ToolCallPart } from '@signalbox/core'
import { AbortError, messageOf } from '../errors.ts'
import type { Clock, EffectRow, FactDraft, ToolHost, ToolOutcome, WakeBus } from '../ports.ts'
import { canonical, sha256, type Writer } from '../record/draft.ts'
import type { Views } from '../record/view.ts'
import type { Content } from './content.ts'
import { reportProgress } from './progress.ts'

export interface ToolCallDeps {
  readonly tools: ToolHost
  readonly content: Content
  readonly writer: Writer
  readonly views: Views
  readonly wakeBus: Pick<WakeBus, 'publishDelta'>
  readonly clock: Clock
}

export interface ToolTask {
  readonly row: EffectRow
  readonly effect: ToolCallEffect
  readonly call: ToolCallPart
  readonly attempt: number
}

/** Runs the call and answers the fact about it. Null: the signal was aborted for another reason than a cancel. */
export async function performToolCall(
  deps: ToolCallDeps,
  task: ToolTask,
  signal: AbortSignal,
): Promise<FactDraft | null> {
  const began = deps.clock.now()
  const outcome = await runTool(deps, task, signal)
  const durationMs = deps.clock.now() - began
  if (outcome.status !== 'aborted') return report(deps, task, { outcome, durationMs })
  const cause = signal.reason instanceof AbortError ? signal.reason.abortCause : 'shutdown'
  return cause === 'cancelled' ? aborted(deps, task, outcome.settled) : null
}

async function runTool(
  deps: ToolCallDeps,
  task: ToolTask,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { row, effect, call, attempt } = task
  if (call.name !== effect.tool || sha256(canonical(call.args)) !== effect.argsHash) {
    const message = 'the stored call is not the one that was judged'
    return { status: 'failed', error: { code: 'call_changed', message } }
  }
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
    progress: reportProgress(deps.wakeBus, { runId: row.runId, callId: call.id, attempt }),
  }
  try {
    return await deps.tools.call(request, signal)
  } catch (error) {
    return { status: 'failed', error: { code: 'tool_host', message: messageOf(error) } }
  }
}

const about = ({ effect, attempt }: ToolTask) => ({
  effectId: effect.id,
  attempt,
  callId: effect.callId,
})

const options = (task: ToolTask, becomes: 'done' | 'unknown' = 'done') => ({
  key: task.effect.id,
  fence: {
    effectId: task.effect.id,
    attempt: task.attempt,
    expect: 'started',
    becomes,
  } as const,
  tool: task.effect.tool,
})

async function report(
  deps: ToolCallDeps,
  task: ToolTask,
  result: {
    readonly outcome: Exclude<ToolOutcome, { status: 'aborted' }>
    readonly durationMs: number
  },
): Promise<FactDraft> {
  const { content, writer } = deps
  const { outcome, durationMs } = result
  if (outcome.status === 'failed' && outcome.unknown && task.effect.mode === 'once')
    return unknown(deps, task)
  if (outcome.status === 'failed') {
    const payload = { ...about(task), error: outcome.error, durationMs }
    return writer.fact('tool.failed', payload, { ...options(task), verdict: 'failed' })
  }
  const parts = await content.spill(task.row, outcome.output.content)
  const output = { ...outcome.output, content: parts }
  const verdict = output.isError ? 'error' : 'ok'
  const payload = { ...about(task), output, durationMs }
  return writer.fact('tool.completed', payload, { ...options(task), verdict })
}

/** After a cancel: a call that did not come back may have happened, unless it only reads. */
async function aborted(deps: ToolCallDeps, task: ToolTask, settled: boolean): Promise<FactDraft> {
  if (!settled && task.effect.mode !== 'read') return unknown(deps, task)
  const payload = { ...about(task), reason: 'cancelled' } as const
  return deps.writer.fact('tool.aborted', payload, { ...options(task), verdict: 'aborted' })
}

/** Nobody knows whether it happened: an operator decides, or, by the agent's policy, the model is told so. */
async function unknown({ writer, views }: ToolCallDeps, task: ToolTask): Promise<FactDraft> {
  const { onUnknown } = await views.definition(task.row.definitionHash)
  const payload = { ...about(task), reason: 'not_settled' } as const
  return writer.fact('tool.unknown', payload, {
    ...options(task, onUnknown === 'ask' ? 'unknown' : 'done'),
    key: `${task.effect.id}:unknown:${task.attempt}`,
    verdict: 'unknown',
  })
}
