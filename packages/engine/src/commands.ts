/** The commands: each is one append, and may be repeated after any failure. */
import { answerApproval, type ApprovalDeps } from './answer-approval.ts'
import type { CancelAnswer, CancelRun, Commands, ResolveAnswer, ResolveUnknown } from './engine.ts'
import { createRun, type CreateRunDeps } from './create-run.ts'
import type { WakeBus } from './ports.ts'
import { insist } from './record/patience.ts'

export interface CommandDeps extends ApprovalDeps, CreateRunDeps {
  readonly wakeBus: WakeBus
}

export function createCommands(deps: CommandDeps): Commands {
  return {
    createRun: (request) => createRun(deps, request),
    cancel: (request) => cancel(deps, request),
    resolveUnknown: (request) => resolveUnknown(deps, request),
    answerApproval: (request) => answerApproval(deps, request),
  }
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
