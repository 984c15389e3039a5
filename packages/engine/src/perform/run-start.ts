/**
 * Starting a run that does the work of a call.
 *
 * S1 One effect starts one run, however often it is performed: the run is known by the effect's id.
 * S2 What may have been forbidden since the decision is asked again before, and deny wins (as for any call).
 * S3 The child's limits are those of its agent, lowered to what its parent had left.
 * S4 The decision says up to which event of the parent the child begins with its files: none is copied.
 */
import {
  type AgentDefinition,
  factSchemas,
  limits,
  lowered,
  payloadOf,
  type RunStartEffect,
} from '@signalbox/core'
import { createRun, type CreateRunDeps, type NewRun } from '../create-run.ts'
import { AbortError, TerminalError } from '../errors.ts'
import type { FactDraft, Register } from '../ports.ts'
import type { Digests } from '../record/digests.ts'
import { canonical, uuidOf } from '../record/draft.ts'
import { about, type CallTask, cancelled, deniedNow, options, overBudget } from './call-facts.ts'
import { editedCall } from './edited-call.ts'
import type { Held } from './leases.ts'
import { recheck, type RecheckDeps } from './recheck.ts'
import { isJudged, reserveCall } from './tool-call.ts'

export interface RunStartDeps extends CreateRunDeps, RecheckDeps {
  readonly register: Register
  readonly digests: Digests
}

export type RunStartTask = CallTask<RunStartEffect>

/** Starts the run, and answers the fact about it. Null: the signal was aborted for another reason than a cancel. */
export async function performRunStart(
  deps: RunStartDeps,
  asked: RunStartTask,
  held: Held,
): Promise<FactDraft | null> {
  const { row, effect, attempt } = asked
  // An attempt that was lost may have started it.
  const before =
    attempt > 1
      ? (await deps.register.children(row.runId)).find(({ effectId }) => effectId === effect.id)
      : undefined
  if (before) return started(deps, asked, before.runId)
  const checked = await check(deps, asked, held).catch((error: unknown) => {
    if (!held.signal.aborted) throw error
    return aborted(deps, asked, held.signal)
  })
  return checked && 'definition' in checked
    ? create(deps, checked.task, lowered(checked.definition, effect.left))
    : checked
}

/** Reads what the run is started by. Rejects with a `NewerError` where that is newer than this build. */
export async function readForStart(
  deps: Pick<RunStartDeps, 'register'>,
  { row, effect }: Pick<RunStartTask, 'row' | 'effect'>,
): Promise<void> {
  if (effect.edited) await editedCall(deps.register, row, effect)
  const [first] = await deps.register.events(row.runId, { limit: 1 })
  if (first) payloadOf(factSchemas['run.created'], first)
}

/** The run to be started, or the fact that it is not. */
async function check(
  deps: RunStartDeps,
  asked: RunStartTask,
  held: Held,
): Promise<{ readonly task: RunStartTask; readonly definition: AgentDefinition } | FactDraft> {
  const { row, effect } = asked
  held.signal.throwIfAborted()
  const call = effect.edited ? await editedCall(deps.register, row, effect) : asked.call
  const task = { ...asked, call }
  if (!(await isJudged(deps.digests, task)))
    return failed(deps, task, ['call_changed', 'the stored call is not the one that was judged'])
  const denial = await recheck(deps, task, held.signal)
  if (denial) return deniedNow(deps.writer, task, denial)
  await openBudget(deps, task)
  const share = await reserveCall(deps.register, task)
  if (share?.code === 'refused') return overBudget(deps.writer, task, share)
  const definition = deps.agents(effect.agent)
  if (!definition)
    return failed(deps, task, ['unknown_agent', `there is no agent named ${effect.agent}`])
  await held.begin()
  return { task, definition }
}

/** The run at the top of a tree brings in what it has left when it starts its first child. */
async function openBudget(deps: RunStartDeps, { row, effect }: RunStartTask): Promise<void> {
  if (row.rootId !== null) return
  const { maxTurns: turns, maxToolCalls: calls, maxTokens: tokens, maxCost } = effect.left
  const cost = maxCost === null ? null : Math.round(maxCost * 1_000_000)
  const { runId: rootId, tenantId } = row
  await deps.register.openBudget({ rootId, tenantId, turns, calls, tokens, cost })
}

async function create(
  deps: RunStartDeps,
  task: RunStartTask,
  definition: AgentDefinition,
): Promise<FactDraft | null> {
  const { row, effect, call } = task
  const { tenantId, runId, rootId } = row
  const [first] = await deps.register.events(runId, { limit: 1 })
  if (!first) throw new Error('the run is gone')
  const { user, endUser, interactive } = payloadOf(factSchemas['run.created'], first)
  const { prompt, description } = call.args
  const text = typeof prompt === 'string' ? prompt : canonical(call.args)
  const asked: NewRun = {
    tenantId,
    threadId: threadOf(effect.id),
    actor: `run:${runId}`,
    definition,
    input: [{ id: `u_${effect.id.slice(-60)}`, role: 'user', parts: [{ type: 'text', text }] }],
    metadata: typeof description === 'string' ? { description: short(description) } : {},
    ...filesOf(task),
    ...(user === undefined ? {} : { user }),
    ...(endUser === undefined ? {} : { endUser }),
    // Whoever is not there for a run is not there for those below it.
    ...(interactive === undefined ? {} : { interactive }),
    // The server takes no key of this form from a client.
    alias: { key: `child:${effect.id}`, bodyHash: effect.argsHash },
    parent: {
      runId,
      callId: effect.callId,
      effectId: effect.id,
      rootId: rootId ?? runId,
      depth: effect.depth,
    },
    attempt: task.attempt,
  }
  // A run that the register refuses for good is refused at every attempt.
  const answer = await createRun(deps, asked).catch((error: unknown) => {
    if (!(error instanceof TerminalError)) throw error
    return { code: 'rejected', detail: error.message } as const
  })
  switch (answer.code) {
    case 'created':
    case 'existing':
      return started(deps, task, answer.runId)
    case 'no_parent':
      return cancelled(deps.writer, task)
    case 'held':
      return failed(deps, task, ['held', 'runs of this end user are held after safety stops'])
    default:
      return failed(deps, task, [`child_${answer.code}`, 'the run could not be started'])
  }
}

const short = (text: string): string =>
  text.slice(0, limits.childDescriptionCharsMax).toWellFormed()

/** The files that it begins with. */
const filesOf = ({ row: { threadId, runId }, effect: { filesThrough } }: RunStartTask) =>
  filesThrough === undefined ? {} : { filesFrom: { threadId, at: { runId, seq: filesThrough } } }

/** Runs that are started have threads of their own, found again from the effect. */
const threadOf = (effectId: string): string => uuidOf(`signalbox.child\u0000${effectId}`)

/** The effect goes on without a lease until the child has ended: that is its outcome. */
const started = (deps: RunStartDeps, task: RunStartTask, childRunId: string): FactDraft =>
  deps.writer.fact(
    'child.started',
    { ...about(task), childRunId },
    {
      ...options(task),
      key: `${task.effect.id}:started`,
      fence: { ...options(task).fence, becomes: 'started' },
    },
  )

const failed = (
  deps: RunStartDeps,
  task: RunStartTask,
  [code, message]: readonly [string, string],
): FactDraft =>
  deps.writer.fact(
    'tool.failed',
    { ...about(task), error: { code, message }, durationMs: 0 },
    { ...options(task), verdict: 'failed' },
  )

function aborted(
  deps: RunStartDeps,
  task: RunStartTask,
  { reason }: AbortSignal,
): FactDraft | null {
  if (!(reason instanceof AbortError) || reason.abortCause !== 'cancelled') return null
  return cancelled(deps.writer, task)
}
