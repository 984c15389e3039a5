/** Items as an engine would write them, in as few words as a test needs. */
import type {
  Effect,
  JsonObject,
  RunStartEffect,
  Timer,
  ToolCallEffect,
  WebhookEffect,
} from '@signalbox/core'
import type {
  AppendItem,
  ClaimDraft,
  CreateDraft,
  DecisionDraft,
  EffectFence,
  EventDraft,
  FactDraft,
  SettleDraft,
} from '@signalbox/engine'
import { randomBytes } from 'node:crypto'
import { payloadHash } from '../../src/chain.ts'

export interface RunIds {
  readonly tenantId: string
  readonly threadId: string
  readonly runId: string
}

let lastMs = 0

/** A UUIDv7; later calls answer greater ones. */
export function uuid7(): string {
  lastMs = Math.max(Date.now(), lastMs + 1)
  const hex = lastMs.toString(16).padStart(12, '0')
  const random = randomBytes(10).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`
}

export function newRun(over: Partial<RunIds> = {}): RunIds {
  const runId = over.runId ?? uuid7()
  return { tenantId: 'acme', threadId: `thread-${runId}`, ...over, runId }
}

export function event(type: string, over: Partial<EventDraft> = {}): EventDraft {
  const payload = over.payload ?? { n: 1 }
  const salt = randomBytes(16).toString('hex')
  return {
    type,
    version: 1,
    at: Date.now(),
    actor: 'test',
    tool: null,
    verdict: null,
    payload,
    salt,
    payloadHash: payloadHash(salt, payload),
    ...over,
  }
}

export function fact(
  type: string,
  key: string = randomBytes(8).toString('hex'),
  over: Partial<FactDraft> = {},
): FactDraft {
  return { ...event(type, over), key, fence: over.fence ?? null }
}

export function fence(
  effectId: string,
  expect: EffectFence['expect'],
  over: Partial<EffectFence> = {},
): EffectFence {
  return { effectId, expect, attempt: 1, becomes: 'done', ...over }
}

export function decision(
  decided: number,
  through: number,
  over: Partial<DecisionDraft> = {},
): DecisionDraft {
  return {
    decided,
    through,
    events: [event('run.transitioned', { payload: { from: decided, through } })],
    status: 'running',
    stateName: 'model',
    outcome: null,
    state: { name: 'model' },
    effects: [],
    timers: [],
    clearTimers: [],
    ...over,
  }
}

/** A decision that ends the run. */
export function finalDecision(
  decided: number,
  through: number,
  over: Partial<DecisionDraft> = {},
): DecisionDraft {
  return decision(decided, through, {
    status: 'ended',
    stateName: 'completed',
    outcome: 'completed',
    state: { name: 'completed' },
    ...over,
  })
}

export function toolEffect(run: RunIds, n: number, over: Partial<ToolCallEffect> = {}): Effect {
  return {
    id: `${run.runId}.${n}`,
    kind: 'tool.call',
    mode: 'idempotent',
    queue: 'tools',
    delayMs: 0,
    source: `${run.runId}.0`,
    callId: `call_${n}`,
    tool: 'write',
    toolVersion: '1',
    argsHash: 'a',
    timeoutMs: 1000,
    ...over,
  }
}

/** An effect that starts a run. */
export function startEffect(run: RunIds, n: number, over: Partial<RunStartEffect> = {}): Effect {
  const left = {
    maxTurns: 10,
    maxToolCalls: 10,
    maxTokens: 1000,
    timeoutMs: 1000,
    maxCost: null,
  }
  return {
    id: `${run.runId}.${n}`,
    kind: 'run.start',
    mode: 'idempotent',
    queue: 'run.start',
    delayMs: 0,
    source: `${run.runId}.0`,
    callId: `call_${n}`,
    tool: 'task',
    argsHash: 'a',
    agent: 'writer',
    depth: 1,
    left,
    ...over,
  }
}

export function webhookEffect(
  run: RunIds,
  n: number,
  over: Partial<WebhookEffect> = {},
): WebhookEffect {
  return {
    id: `${run.runId}.${n}`,
    kind: 'webhook.deliver',
    mode: 'idempotent',
    queue: 'webhook',
    delayMs: 0,
    webhook: 0,
    on: 'completed',
    ...over,
  }
}

export function settling(effectId: string, over: Partial<SettleDraft> = {}): SettleDraft {
  return { effectId, expect: 'started', attempt: 1, becomes: 'done', delayMs: 0, ...over }
}

export function timer(id: string, afterMs: number): Timer {
  return { id, afterMs }
}

export function claim(effectId: string, over: Partial<ClaimDraft> = {}): ClaimDraft {
  return {
    effectId,
    owner: 'worker-1',
    leaseMs: 60_000,
    at: Date.now(),
    salt: randomBytes(16).toString('hex'),
    ...over,
  }
}

function createDraft(run: RunIds, over: Partial<CreateDraft> = {}): CreateDraft {
  return {
    threadId: run.threadId,
    agent: 'writer',
    definitionHash: 'd1',
    machine: 'run',
    machineVersion: 1,
    metadata: {},
    alias: null,
    ...over,
  }
}

/** The ids of an item. */
export function about(run: RunIds): Pick<AppendItem, 'tenantId' | 'runId'> {
  return { tenantId: run.tenantId, runId: run.runId }
}

/** Creates a run, without asking for its thread's slot. */
export function creation(
  run: RunIds,
  create: Partial<CreateDraft> = {},
  payload: JsonObject = { input: [] },
): AppendItem {
  return {
    ...about(run),
    create: createDraft(run, create),
    facts: [fact('run.created', 'created', { payload })],
  }
}

/** Creates a run for the n-th effect of another. */
export function birth(
  child: RunIds,
  parent: RunIds,
  over: {
    readonly n?: number
    readonly rootId?: string
    /** Of the effect: 0 while nobody has claimed it. */
    readonly attempt?: number
    readonly alias?: CreateDraft['alias']
  } = {},
): AppendItem {
  const { n = 1, rootId = parent.runId, attempt = 0, alias = null } = over
  const place = { runId: parent.runId, effectId: `${parent.runId}.${n}`, rootId, attempt }
  return creation(child, { parent: place, alias })
}

/** Creates a run, admits it, and decides: seq 1 and 2 are facts, 3 is the decision. */
export function admission(run: RunIds, over: Partial<DecisionDraft> = {}): AppendItem {
  const item = creation(run)
  return {
    ...item,
    admit: true,
    facts: [...(item.facts ?? []), fact('run.admitted', 'admitted')],
    decision: decision(0, 2, over),
  }
}
