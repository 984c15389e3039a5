/** What must hold of the events of one run, whatever happened to the processes that wrote them. */
import { factSchemas, outlivesRun } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { effectOf, foldedThrough, isEdit, isEnd, isStep, type RunRecord } from './run-record.ts'

/** Each violation names its invariant (DESIGN §7) and the run. */
export function logViolations(run: RunRecord): readonly string[] {
  const { head, log } = run
  const { runId } = head
  const bad: string[] = []
  if (log.some((event, n) => event.seq !== n + 1)) bad.push(`I1 ${runId} has a gap`)
  if (log[0]?.type !== 'run.created') bad.push(`${runId} does not begin with run.created`)
  if (head.status !== 'ended') bad.push(`I12 ${runId} is stuck in ${head.stateName}`)
  const ends = log.filter(isEnd).length
  if (head.status === 'ended' && ends !== 1) bad.push(`I4 ${runId} ended ${ends}x`)
  return [
    ...bad,
    ...outcomeViolations(run),
    ...editViolations(run),
    ...cancelViolations(run),
    ...cursorViolations(run),
  ]
}

const outcomes = new Set([
  'model.completed',
  'model.aborted',
  'tool.completed',
  'tool.failed',
  'tool.denied',
  'tool.aborted',
  'policy.answered',
  'child.ended',
  'budget.refused',
])

/** One outcome per effect (I7); a run does not complete on a turn without a positive verdict (I23). */
function outcomeViolations({ head, log }: RunRecord): readonly string[] {
  const bad: string[] = []
  const results = new Map<string, number>()
  for (const event of log.filter(({ type }) => outcomes.has(type))) {
    const id = effectOf(event)
    results.set(id, (results.get(id) ?? 0) + 1)
  }
  for (const [id, n] of results) if (n !== 1) bad.push(`I7 ${id} has ${n} outcomes`)
  const last = log.findLast((event) => event.type === 'model.completed')
  const isCompleted = log.findLast(isStep)?.verdict === 'completed'
  if (isCompleted && last?.verdict !== 'complete' && !isEdit({ log }))
    bad.push(`I23 ${head.runId} completed on a turn with verdict ${last?.verdict}`)
  const folded = foldedThrough(log)
  const cut = log.filter((event) => event.seq <= folded && isSuppressing(event)).length
  const told = log.filter(({ type }) => telling.has(type)).length
  if (head.status === 'ended' && told < cut)
    bad.push(`I23 ${head.runId} took calls out of ${cut} turns, and says so of ${told}`)
  return bad
}

/** An edit completes without a turn, and nobody checks what it would say to a model: so it asks nobody for anything (I23, I24). */
function editViolations({ head: { runId }, log, effects }: RunRecord): readonly string[] {
  if (!isEdit({ log })) return []
  const others = log.filter(({ type }) => outcomes.has(type))
  const asked = effects.filter(({ spec }) => spec.kind !== 'webhook.deliver')
  return [
    ...others.map(({ type, seq }) => `I23 the edit ${runId} has ${type} at ${seq}`),
    ...asked.map(
      ({ effectId, spec }) => `I23 the edit ${runId} asked for ${spec.kind} ${effectId}`,
    ),
  ]
}

const telling = new Set(['safety.suppressed', 'turn.cut', 'guardrail.tripped', 'guardrail.stopped'])

/** A turn whose calls were taken out: an auditor must find an event of its own about it. */
function isSuppressing(event: StoredEvent): boolean {
  if (event.type !== 'model.completed' || event.verdict === 'complete') return false
  const { turn } = factSchemas['model.completed'].parse(event.payload)
  return turn.suppressed.length > 0
}

/** After a cancel nothing starts any more, but what outlives the run. */
function cancelViolations({ head, log, effects }: RunRecord): readonly string[] {
  const outliving = new Set(
    effects.filter(({ spec }) => outlivesRun(spec.kind)).map(({ effectId }) => effectId),
  )
  const cancel = log.find((event) => event.type === 'cancel.requested')
  return log
    .filter((event) => cancel && event.type === 'effect.started' && event.seq > cancel.seq)
    .filter((event) => !outliving.has(effectOf(event)))
    .map((event) => `I14 ${head.runId} started an effect at ${event.seq}, after its cancel`)
}

/** Decisions tile the facts: each fact is folded once, none is left before the final one (I5, I6). */
function cursorViolations({ head, log }: RunRecord): readonly string[] {
  const bad: string[] = []
  let through = 0
  for (const event of log.filter(isStep)) {
    if (event.payload['from'] !== through) bad.push(`I5 ${head.runId} decisions do not tile`)
    through = Number(event.payload['through'])
  }
  const lastFact = log.findLast(isFact)?.seq ?? 0
  if (head.status === 'ended' && lastFact !== through) bad.push(`I6 ${head.runId} undecided facts`)
  const keys = log.flatMap((event) => event.key ?? [])
  if (new Set(keys).size !== keys.length) bad.push(`I3 ${head.runId} has a key twice`)
  return bad
}

const isFact = (event: StoredEvent): boolean => Object.hasOwn(factSchemas, event.type)
