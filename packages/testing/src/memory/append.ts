/**
 * `append` in memory: the semantics of the SQL function, item by item, every check before anything is written. The
 * contract suite holds the two together.
 */
import { outlivesRun } from '@signalbox/core'
import type {
  AppendItem,
  AppendResult,
  Claimed,
  DecisionCode,
  DecisionDraft,
  FactCode,
  FactDraft,
} from '@signalbox/engine'
import { claim } from './claim.ts'
import { fenceHolds, moveFenced } from './fence.ts'
import { hasRoomForDecision, hasRoomForFact, hasRoomForNotes } from './history.ts'
import { settleEffect } from './settle.ts'
import { hasLapsed } from './lapse.ts'
import { inputRefusal } from './input-refusal.ts'
import { decisionProblem, itemProblem } from './rules.ts'
import { write } from './write.ts'
import { laneAwaited } from './lanes.ts'
import { answer, create } from './create.ts'
import { takeSlot } from './queue.ts'
import { type EffectRecord, putUnsettled, type RunNow, type RunRow, type Tables } from './tables.ts'

/** Applies one item, atomically. */
export function appendItem(tables: Tables, now: number, item: AppendItem): AppendResult {
  const problem = itemProblem(item)
  if (problem !== null) return answer(item, 'rejected', { detail: problem })
  const refused = item.create ? create(tables, now, item) : null
  if (refused) return refused
  const run = tables.runs.get(item.runId)
  if (!run || run.tenantId !== item.tenantId) return answer(item, 'no_run')
  const full = { detail: 'history_too_long' } as const
  if (isOnlyNotes(item) && !fitNotes(tables, run, item)) return answer(item, 'rejected', full)
  // A run that is created stands behind all that wait for one of its lanes.
  const behind = item.create !== undefined && laneAwaited(tables, run)
  const admitted = item.admit && !behind ? takeSlot(tables, run, now) : run.admitted
  const leftOut = item.admit === true && !admitted
  const factCodes = (item.facts ?? []).map((fact): FactCode =>
    leftOut && fact.type === 'run.admitted'
      ? 'not_admitted'
      : acceptFact(tables, { run, now }, fact),
  )
  const decided = item.decision
    ? decide(tables, { run, now }, { decision: item.decision, factCodes, leftOut })
    : null
  const areNoted = fitNotes(tables, run, item)
  const settled = item.settle && settleEffect(tables, { run, now }, item.settle)
  for (const note of settled === false || !areNoted ? [] : (item.notes ?? [])) {
    write(tables, run, { draft: note, key: null, fact: false })
    if (note.type === 'run.hidden') tables.hidden.add(run.runId)
  }
  const claims = (item.claims ?? []).map((draft): Claimed =>
    leftOut || (decided && decided.code !== 'ok')
      ? { effectId: draft.effectId, code: 'gone', attempt: 0 }
      : claim(tables, { run, now }, draft),
  )
  run.updatedAt = now
  return answer(item, 'ok', {
    admitted,
    seq: run.seq,
    facts: run.facts,
    decided: run.decided,
    claims,
    factCodes,
    decisionCode: decided?.code ?? null,
    ...(decided?.detail === undefined ? (areNoted ? {} : full) : { detail: decided.detail }),
    ...(settled === undefined ? {} : { settled }),
  })
}

/** Nothing else of it would stand; but what ends an attempt does, without its note. */
const isOnlyNotes = ({ facts, decision, settle: moved }: AppendItem): boolean =>
  !facts && !decision && moved?.expect !== 'started'

const fitNotes = (
  tables: Tables,
  run: RunRow,
  { notes = [], settle: moved }: AppendItem,
): boolean =>
  notes.length === 0 ||
  hasRoomForNotes(tables, run, moved === undefined ? { notes } : { notes, settle: moved })

function acceptFact(tables: Tables, { run, now }: RunNow, fact: FactDraft): FactCode {
  if (tables.keys.get(run.runId)?.has(fact.key)) return 'duplicate'
  if (run.status === 'ended') return 'ended'
  const refused = inputRefusal(tables, run, fact)
  if (refused) return refused
  if (!hasRoomForFact(tables, run, fact)) return 'full'
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
  { run, now }: RunNow,
  item: {
    readonly decision: DecisionDraft
    readonly factCodes: readonly FactCode[]
    readonly leftOut: boolean
  },
): { readonly code: DecisionCode; readonly detail?: string } {
  const { decision } = item
  const code = standing(tables, { run, now }, item)
  if (code === 'held') run.cancelRequested = true
  if (code !== 'ok') return { code }
  const detail = refusalOf(tables, run, decision)
  if (detail !== null) return { code: 'rejected', detail }
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
  return { code: 'ok' }
}

/** Where a decision stands among the facts and the decisions there are. */
function standing(
  tables: Tables,
  { run, now }: RunNow,
  { decision, factCodes, leftOut }: Parameters<typeof decide>[2],
): DecisionCode {
  if (leftOut) return 'not_admitted'
  if (run.status === 'ended' || factCodes.some((code) => code !== 'ok')) return 'stale'
  if (run.decided !== decision.decided || decision.through <= run.decided) return 'stale'
  // It was made from a state that was repaired since.
  if (decision.seq !== undefined && decision.seq < (run.repaired ?? 0)) return 'stale'
  if (decision.through > run.facts) return 'stale'
  if (factCodes.length > 0 && run.facts !== decision.through) return 'stale'
  if (decision.status !== 'ended') return 'ok'
  if (run.facts !== decision.through) return 'moved'
  return claimStands(tables, { run, now }) ? 'held' : 'ok'
}

/** Kinds whose claims an end does not wait for: nothing is executed. Nor for those of what outlives the run. */
const unawaited = new Set(['policy.evaluate', 'tool.recall'])

/** May anything of the run still begin? Not what has no lease: a run that was started. */
const claimStands = (tables: Tables, { run, now }: RunNow): boolean =>
  [...tables.effects.values()].some(
    (effect) =>
      effect.runId === run.runId &&
      effect.status === 'started' &&
      effect.leaseUntil !== null &&
      !hasLapsed(tables, effect, now) &&
      !outlivesRun(effect.kind) &&
      !unawaited.has(effect.kind),
  )

/** Why a decision that could stand is not written; null if it is. */
function refusalOf(tables: Tables, run: RunRow, decision: DecisionDraft): string | null {
  const problem = decisionProblem(run.runId, decision)
  if (problem !== null) return problem
  const ids = decision.effects.map(({ id }) => id)
  if (new Set(ids).size < ids.length || ids.some((id) => tables.effects.has(id)))
    return 'effect_taken'
  return hasRoomForDecision(tables, run, decision) ? null : 'history_too_long'
}

/** An effect that nobody claimed is announced again this long after it could first have been claimed. */
const overdueMs = 2_000

function applyEffects(tables: Tables, { run, now }: RunNow, decision: DecisionDraft): void {
  for (const spec of decision.effects) {
    const notBefore = now + spec.delayMs
    const effect: EffectRecord = {
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
      leaseMs: 0,
      dispatches: 0,
      spec,
      notBefore,
      held: null,
      due: spec.delayMs > 0 ? notBefore : now + overdueMs,
      announced: 0,
    }
    tables.effects.set(spec.id, effect)
    putUnsettled(tables, effect)
  }
  const drop = new Set([...decision.clearTimers, ...decision.timers.map((timer) => timer.id)])
  for (const [at, timer] of tables.timers)
    if (timer.runId === run.runId && (drop.has(timer.timerId) || decision.status === 'ended'))
      tables.timers.delete(at)
  if (decision.status === 'ended') return endEffects(tables, run)
  for (const { id, afterMs } of decision.timers) {
    const { tenantId, runId } = run
    const fireAt = now + afterMs
    const key = `${runId}\u0000timer:${id}:${fireAt}`
    tables.timers.set(key, { tenantId, runId, timerId: id, fireAt })
  }
}

function endEffects(tables: Tables, run: RunRow): void {
  for (const effect of tables.effects.values()) {
    // A result of an effect that does not outlive its run is a note from here on: nothing waits for it any more.
    if (effect.runId !== run.runId || outlivesRun(effect.kind)) continue
    if (effect.status === 'pending' || effect.status === 'started') effect.status = 'cancelled'
  }
}
