/** The commands: each is one append, and may be repeated after any failure. */
import { answerApproval, type ApprovalDeps } from './answer-approval.ts'
import { answerInput } from './answer-input.ts'
import { type ChangeMemory, changeMemory, pauseMemory } from './change-memory.ts'
import type {
  CancelAnswer,
  CancelRun,
  Commands,
  CreateAnswer,
  ResolveAnswer,
  ResolveUnknown,
} from './engine.ts'
import { warning } from './errors.ts'
import { createRun, type CreateRunDeps, type NewRun } from './create-run.ts'
import { hideRun, hideThread } from './hide.ts'
import { injectInput, type InjectDeps } from './inject-input.ts'
import type { WakeBus } from './ports.ts'
import { pauseWork, type PauseDeps, resumeWork } from './pause.ts'
import { insist } from './record/patience.ts'
import { rerun } from './rerun.ts'
import { retryRun } from './retry.ts'
import { replayWebhook, type ReplayWebhookDeps } from './replay-webhook.ts'
import { admitInLanes } from './roles/admit.ts'
import { supersede } from './roles/supersede.ts'
import { titleThread } from './title-thread.ts'

export interface CommandDeps
  extends ApprovalDeps, CreateRunDeps, InjectDeps, PauseDeps, ReplayWebhookDeps {
  readonly wakeBus: WakeBus
}

export function createCommands(deps: CommandDeps): Commands {
  return {
    createRun: (request) => createAndSupersede(deps, request),
    rerun: (request) => rerun(deps, request),
    retry: (request) => retryRun(deps, request, (run) => createAndSupersede(deps, run)),
    cancel: (request) => cancel(deps, request),
    injectInput: (request) => injectInput(deps, request),
    resolveUnknown: (request) => resolveUnknown(deps, request),
    answerApproval: (request) => answerApproval(deps, request),
    answerInput: (request) => answerInput(deps, request),
    hideRun: (request) => hideRun(deps, request),
    hideThread: (request) => hideThread(deps, request),
    titleThread: (request) => titleThread(deps, request),
    changeMemory: (request) => changeAndSupersede(deps, request),
    pauseMemory: (request) => pauseMemory(deps, request),
    replayWebhook: (request) => replayWebhook(deps, request),
    pause: (request) => pauseWork(deps, request),
    resume: (request) => resumeWork(deps, request),
  }
}

/** A run that is to make way is asked to at once; were this process to vanish first, a reconciler would ask. */
async function createAndSupersede(deps: CommandDeps, request: NewRun): Promise<CreateAnswer> {
  const answer = await createRun(deps, request)
  const { multitask, tenantId, threadId } = request
  const isNew = answer.code === 'created' || answer.code === 'existing'
  if (isNew && (multitask === 'interrupt' || multitask === 'rollback'))
    await supersede(deps, { tenantId, threadId }).catch(
      warning(deps.log, 'runs were not superseded yet', { threadId }),
    )
  // Those that wait for the same go first: of them, and of itself, the one whose turn it is.
  if (answer.code === 'created' && !answer.admitted && (request.lanes?.length ?? 0) > 0)
    await admitInLanes(deps, answer.runId).catch(
      warning(deps.log, 'nobody was admitted yet', { runId: answer.runId }),
    )
  return answer
}

/** Learnings that are to make way are asked to at once. */
async function changeAndSupersede(deps: CommandDeps, request: ChangeMemory): Promise<CreateAnswer> {
  const answer = await changeMemory(deps, request)
  const { tenantId, memory } = request
  const { threadId } = memory
  if (request.interrupts && (answer.code === 'created' || answer.code === 'existing'))
    await supersede(deps, { tenantId, threadId }).catch(
      warning(deps.log, 'learnings were not superseded yet', { threadId }),
    )
  return answer
}

async function cancel(deps: CommandDeps, request: CancelRun): Promise<CancelAnswer> {
  const { runId, tenantId, action, reason, actor } = request
  const payload = reason === undefined ? { action } : { action, reason }
  const fact = deps.writer.fact('cancel.requested', payload, { key: 'cancel', actor })
  const result = await deps.recorder.record({ runId, tenantId }, [fact])
  if (result.code !== 'ok') return 'no_run'
  switch (result.factCodes[0]) {
    case 'ok':
      deps.wakeBus.publish('cancel', [runId])
      return 'accepted'
    case 'duplicate':
      return 'already'
    default:
      return 'ended'
  }
}

async function resolveUnknown(deps: CommandDeps, request: ResolveUnknown): Promise<ResolveAnswer> {
  const { runId, tenantId, effectId, resolution, output, note, actor } = request
  const row = await insist(deps, 'read effect', () => deps.register.effect(effectId))
  if (!row || row.tenantId !== tenantId || row.runId !== runId) return 'no_run'
  if (row.spec.kind !== 'tool.call') return 'not_unknown'
  const { callId, tool } = row.spec
  const retry = resolution === 'retry'
  const payload = {
    effectId,
    callId,
    resolution,
    ...(output === undefined ? {} : { output }),
    ...(note === undefined ? {} : { note }),
  }
  const fact = deps.writer.fact('tool.resolved', payload, {
    // One outcome per effect (I7); a retry is none yet, and may be asked for again after the next loss.
    key: retry ? `${effectId}:retry:${row.attempt}` : effectId,
    fence: {
      effectId,
      attempt: row.attempt,
      expect: 'unknown',
      becomes: retry ? 'pending' : 'done',
    },
    actor,
    tool,
    verdict: resolution,
  })
  const result = await deps.recorder.record({ runId, tenantId }, [fact])
  if (result.code !== 'ok') return 'no_run'
  switch (result.factCodes[0]) {
    case 'ok':
      return 'accepted'
    case 'duplicate':
      return earlierResolution(deps, runId, { key: fact.key, resolution })
    case 'ended':
      return 'ended'
    default:
      return 'not_unknown'
  }
}

/** The first resolution stands. A call that has a result of its own since is not unknown any more. */
async function earlierResolution(
  deps: CommandDeps,
  runId: string,
  asked: { readonly key: string; readonly resolution: ResolveUnknown['resolution'] },
): Promise<ResolveAnswer> {
  const events = await insist(deps, 'read events', () => deps.register.events(runId, {}))
  const first = events.find((event) => event.key === asked.key)
  if (first?.type !== 'tool.resolved') return 'not_unknown'
  return first.payload['resolution'] === asked.resolution ? 'already' : 'conflict'
}
