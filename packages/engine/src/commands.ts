/** The commands: each is one append, and may be repeated after any failure. */
import { AgentDefinition } from '@signalbox/core'
import { answerApproval, type ApprovalDeps } from './answer-approval.ts'
import type {
  CancelAnswer,
  CancelRun,
  Commands,
  CreateAnswer,
  CreateRun,
  ResolveAnswer,
  ResolveUnknown,
} from './engine.ts'
import { holdOf } from './hold.ts'
import type { Register, WakeBus } from './ports.ts'
import type { Content } from './perform/content.ts'
import { canonical, sha256, type Writer } from './record/draft.ts'
import { insist, type Patience } from './record/patience.ts'
import type { Recorder } from './record/recorder.ts'
import { sanitiseObject } from './record/sanitise.ts'
import { emptyView } from './record/view.ts'

export interface CommandDeps extends ApprovalDeps, Patience {
  readonly register: Register
  readonly recorder: Recorder
  readonly content: Content
  readonly wakeBus: WakeBus
  readonly writer: Writer
  /** Loads what the policies of a definition need; rejects with what is missing. */
  readonly prepare: (definition: AgentDefinition) => Promise<void>
}

/** Names the machine a run is pinned to. */
const machine = { machine: 'run', machineVersion: 1 } as const

const storedDefinitions = new WeakMap<AgentDefinition, string>()

export function createCommands(deps: CommandDeps): Commands {
  return {
    createRun: (request) => createRun(deps, request),
    cancel: (request) => cancel(deps, request),
    resolveUnknown: (request) => resolveUnknown(deps, request),
    answerApproval: (request) => answerApproval(deps, request),
  }
}

/** Definitions are content-addressed and immutable: each object is hashed and stored once per process. */
async function storeDefinition(deps: CommandDeps, definition: AgentDefinition): Promise<string> {
  const known = storedDefinitions.get(definition)
  if (known) return known
  const clean = AgentDefinition.parse(sanitiseObject(definition))
  const hash = sha256(canonical(clean))
  await deps.prepare(clean)
  await insist(deps, 'store definition', () => deps.register.putDefinition(hash, clean))
  storedDefinitions.set(definition, hash)
  return hash
}

async function createRun(deps: CommandDeps, request: CreateRun): Promise<CreateAnswer> {
  const { tenantId, threadId, actor, definition, metadata, alias, user, endUser } = request
  const held = await holdOf(deps, request)
  if (held) return held
  const definitionHash = await storeDefinition(deps, definition)
  const runId = deps.random.uuid()
  const thread = { tenantId, threadId }
  const input = []
  for (const message of request.input)
    input.push({ ...message, parts: await deps.content.spill(thread, message.parts) })
  const agent = definition.name
  const pinned = { agent, definitionHash, ...machine }
  const created = deps.writer.fact(
    'run.created',
    {
      ...pinned,
      input,
      metadata,
      ...(user === undefined ? {} : { user }),
      ...(endUser === undefined ? {} : { endUser }),
    },
    { key: 'created', actor },
  )
  const admitted = deps.writer.fact('run.admitted', {}, { key: 'admitted' })
  const result = await deps.recorder.record({ runId, tenantId }, [created, admitted], {
    create: { threadId, ...pinned, metadata: sanitiseObject(metadata), alias },
    admit: true,
    view: emptyView({ runId, tenantId, threadId, agent: definition }),
  })
  switch (result.code) {
    case 'ok':
      return { code: 'created', runId, admitted: result.admitted }
    case 'exists':
      return { code: 'existing', runId: result.runId }
    case 'conflict':
      return { code: 'conflict', runId: result.runId }
    case 'thread_full':
      return { code: 'thread_full' }
    case 'no_run':
      return { code: 'no_thread' }
    case 'rejected':
      return { code: 'rejected', detail: result.detail ?? '' }
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
