/**
 * `append` in memory: the semantics of the SQL function, item by item, every check before anything is written. The
 * contract suite holds the two together.
 */
import { limits } from '@signalbox/core'
import type {
  AppendItem,
  AppendResult,
  Claimed,
  DecisionCode,
  DecisionDraft,
  FactCode,
  FactDraft,
  Moment,
  ThreadRef,
} from '../ports.ts'
import { claim } from './claim.ts'
import { genesis } from './chain.ts'
import { fenceHolds, moveFenced } from './fence.ts'
import { settle } from './settle.ts'
import { inputRefusal } from './input-refusal.ts'
import { write } from './write.ts'
import { heardThrough } from './lineage.ts'
import { laneAwaited } from './lanes.ts'
import { lastDue, takeSlot } from './queue.ts'
import { type RunRow, type Tables, threadKey } from './tables.ts'

const answer = (
  item: AppendItem,
  code: AppendResult['code'],
  more: Partial<AppendResult> = {},
): AppendResult => ({
  code,
  runId: item.runId,
  admitted: false,
  seq: 0,
  facts: 0,
  decided: 0,
  factCodes: [],
  decisionCode: null,
  claims: [],
  ...more,
})

/** Applies one item, atomically. */
export function appendItem(tables: Tables, now: number, item: AppendItem): AppendResult {
  const refused = item.create ? create(tables, now, item) : null
  if (refused) return refused
  const run = tables.runs.get(item.runId)
  if (!run || run.tenantId !== item.tenantId) return answer(item, 'no_run')
  // Who is created stands behind all that wait for one of its lanes.
  const behind = item.create !== undefined && laneAwaited(tables, run)
  const admitted = item.admit && !behind ? takeSlot(tables, run, now) : run.admitted
  const leftOut = item.admit === true && !admitted
  const factCodes = (item.facts ?? []).map((fact): FactCode =>
    leftOut && fact.type === 'run.admitted'
      ? 'not_admitted'
      : acceptFact(tables, { run, now }, fact),
  )
  const decisionCode = item.decision
    ? decide(tables, { run, now }, { decision: item.decision, factCodes, leftOut })
    : null
  const settled = item.settle && settle(tables, { run, now }, item.settle)
  for (const note of settled === false ? [] : (item.notes ?? [])) {
    write(tables, run, { draft: note, key: null, fact: false })
    if (note.type === 'run.hidden') tables.hidden.add(run.runId)
  }
  const claims = (item.claims ?? []).map((draft): Claimed =>
    leftOut || (item.decision && decisionCode !== 'ok')
      ? { effectId: draft.effectId, code: 'gone', attempt: 0 }
      : claim(tables, { run, now }, draft),
  )
  run.updatedAt = now
  const { seq, facts, decided } = run
  const codes = { factCodes, decisionCode, ...(settled === undefined ? {} : { settled }) }
  return answer(item, 'ok', { admitted, seq, facts, decided, claims, ...codes })
}

function create(tables: Tables, now: number, item: AppendItem): AppendResult | null {
  const { create: draft, tenantId, runId } = item
  if (!draft) return null
  if (tables.runs.has(runId)) return null
  const alias = draft.alias && `${tenantId}\u0000${draft.alias.key}`
  const taken = alias === null ? undefined : tables.aliases.get(alias)
  if (taken) return answerTaken(tables, item, taken)
  if (tables.hidden.has(threadKey({ tenantId, threadId: draft.threadId })))
    return answer(item, 'no_run')
  if (draft.parent) {
    const parent = tables.runs.get(draft.parent.runId)
    const root = parent?.parent?.rootId ?? parent?.runId
    if (!parent || parent.tenantId !== tenantId || root !== draft.parent.rootId)
      return answer(item, 'no_parent')
    if (parent.status === 'ended' || parent.cancelRequested) return answer(item, 'no_parent')
    // An attempt that was taken over starts nothing: the call may have been answered without it.
    const effect = tables.effects.get(draft.parent.effectId)
    const isOpen = effect?.status === 'pending' || effect?.status === 'started'
    if (effect && (!isOpen || effect.attempt !== draft.parent.attempt))
      return answer(item, 'no_parent')
  }
  if (draft.base && !isHeard(tables, draft.base, { tenantId, threadId: draft.threadId }))
    return answer(item, 'no_base')
  const onThread = [...tables.runs.values()].filter(
    (run) => run.tenantId === tenantId && run.threadId === draft.threadId,
  )
  if (onThread.filter((run) => run.status === 'queued').length >= limits.queuedPerThreadMax)
    return answer(item, 'thread_full')
  const { multitask = 'enqueue', delayMs = 0 } = draft
  const last = lastDue(tables, { tenantId, threadId: draft.threadId }, now)
  if (multitask === 'reject' && last !== null) return answer(item, 'busy')
  // Behind all that is due.
  const behind = multitask === 'enqueue' || last === null ? now : Math.max(now, last + 1)
  if (alias !== null && draft.alias)
    tables.aliases.set(alias, { runId, bodyHash: draft.alias.bodyHash })
  const { threadId, agent, definitionHash, machine, machineVersion, metadata, parent: by } = draft
  const pinned = { threadId, agent, definitionHash, machine, machineVersion, metadata }
  const parent = by ? { runId: by.runId, effectId: by.effectId, rootId: by.rootId } : null
  tables.runs.set(runId, {
    ...pinned,
    parent,
    base: draft.base ?? null,
    place: null,
    dueAt: behind + delayMs,
    multitask,
    priority: draft.priority ?? 0,
    lanes: draft.lanes ?? [],
    laned: draft.lanes !== undefined,
    admittedAt: null,
    runId,
    tenantId,
    status: 'queued',
    stateName: 'queued',
    outcome: null,
    seq: 0,
    facts: 0,
    decided: 0,
    state: null,
    headHash: genesis(tenantId, runId),
    cancelRequested: false,
    createdAt: now,
    updatedAt: now,
    admitted: false,
  })
  tables.events.set(runId, [])
  tables.keys.set(runId, new Set())
  return null
}

function isHeard(tables: Tables, { runId, seq }: Moment, thread: ThreadRef): boolean {
  const run = tables.runs.get(runId)
  if (run?.tenantId !== thread.tenantId || run.place === null) return false
  const last = heardThrough(tables, thread, runId) ?? 0
  return seq >= 1 && seq <= Math.min(run.seq, last)
}

function answerTaken(
  tables: Tables,
  item: AppendItem,
  taken: { readonly runId: string; readonly bodyHash: string },
): AppendResult {
  const run = tables.runs.get(taken.runId)
  const code = taken.bodyHash === item.create?.alias?.bodyHash ? 'exists' : 'conflict'
  const { admitted = false, seq = 0, facts = 0, decided = 0 } = run ?? {}
  return answer(item, code, { runId: taken.runId, admitted, seq, facts, decided })
}

interface Place {
  readonly run: RunRow
  readonly now: number
}

function acceptFact(tables: Tables, { run, now }: Place, fact: FactDraft): FactCode {
  if (tables.keys.get(run.runId)?.has(fact.key)) return 'duplicate'
  if (run.status === 'ended') return 'ended'
  const refused = inputRefusal(tables, run, fact)
  if (refused) return refused
  const timer = fact.key.startsWith('timer:') ? `${run.runId}\u0000${fact.key}` : null
  if (timer !== null && !tables.timers.delete(timer)) return 'duplicate'
  if (fact.fence && !fenceHolds(tables, { run, now }, fact.fence)) return 'fenced'
  if (fact.fence) moveFenced(tables, fact.fence, now)
  if (fact.type === 'cancel.requested') run.cancelRequested = true
  write(tables, run, { draft: fact, key: fact.key, fact: true })
  return 'ok'
}

function decide(
  tables: Tables,
  { run, now }: Place,
  item: {
    readonly decision: DecisionDraft
    readonly factCodes: readonly FactCode[]
    readonly leftOut: boolean
  },
): DecisionCode {
  const { decision, factCodes, leftOut } = item
  if (leftOut) return 'not_admitted'
  if (run.status === 'ended' || factCodes.some((code) => code !== 'ok')) return 'stale'
  if (run.decided !== decision.decided || decision.through <= run.decided) return 'stale'
  if (decision.through > run.facts) return 'stale'
  if (factCodes.length > 0 && run.facts !== decision.through) return 'stale'
  if (decision.status === 'ended' && run.facts !== decision.through) return 'moved'
  for (const event of decision.events) write(tables, run, { draft: event, key: null, fact: false })
  Object.assign(run, {
    decided: decision.through,
    status: decision.status,
    stateName: decision.stateName,
    outcome: decision.outcome,
    state: decision.state,
    cancelRequested: run.cancelRequested || decision.stateName === 'cancelling',
  })
  applyEffects(tables, { run, now }, decision)
  return 'ok'
}

/** An effect that nobody claimed is announced again this long after it could first have been claimed. */
const overdueMs = 2_000

function applyEffects(tables: Tables, { run, now }: Place, decision: DecisionDraft): void {
  for (const spec of decision.effects) {
    const notBefore = now + spec.delayMs
    tables.effects.set(spec.id, {
      effectId: spec.id,
      tenantId: run.tenantId,
      runId: run.runId,
      kind: spec.kind,
      queue: spec.queue,
      mode: spec.mode,
      status: 'pending',
      attempt: 0,
      owner: null,
      leaseUntil: null,
      dispatches: 0,
      spec,
      notBefore,
      due: spec.delayMs > 0 ? notBefore : now + overdueMs,
      announced: 0,
    })
  }
  const key = (id: string, fireAt: number): string => `${run.runId}\u0000timer:${id}:${fireAt}`
  const drop = new Set([...decision.clearTimers, ...decision.timers.map((timer) => timer.id)])
  for (const [at, timer] of tables.timers)
    if (timer.runId === run.runId && (drop.has(timer.timerId) || decision.status === 'ended'))
      tables.timers.delete(at)
  if (decision.status === 'ended') return endEffects(tables, run)
  for (const { id, afterMs } of decision.timers) {
    const { tenantId, runId } = run
    tables.timers.set(key(id, now + afterMs), {
      tenantId,
      runId,
      timerId: id,
      fireAt: now + afterMs,
    })
  }
}

function endEffects(tables: Tables, run: RunRow): void {
  for (const effect of tables.effects.values()) {
    // Only what tells others of the run outlives it.
    if (effect.runId !== run.runId || effect.kind === 'webhook.deliver') continue
    if (effect.status === 'pending') effect.status = 'cancelled'
    // What still runs may finish, as a note; nobody has to look after it any more.
    if (effect.status === 'started') effect.due = Infinity
    // Nobody waits any more for the end of a run that was started: it is cancelled.
    if (effect.status === 'started' && effect.kind === 'run.start') effect.status = 'cancelled'
  }
}
