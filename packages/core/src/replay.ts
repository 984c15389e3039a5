/**
 * Replay: folds a log with the machine its run is pinned to. Each decision is made again over exactly the facts it folded
 * then, and must come out the same (I16); the last state must be the cached one (I15).
 */
import type { DecisionPayload } from './event/decision.ts'
import { decisionSchemas } from './event/decision.ts'
import { type Fact, isFactType } from './event/fact.ts'
import { type FoldableEvent, readFact, upcast } from './event/upcast.ts'
import { decide, type Subject, transitioned } from './decide.ts'
import type { JsonObject } from './json.ts'
import type { Machine } from './machine/versions.ts'
import { NewerError } from './newer.ts'
import { initialState, persist, revive, type RunState } from './state.ts'

/** What a fold of a log comes to. */
export interface Replayed {
  readonly state: RunState
  /** Facts after the last decision: what the next decision folds. */
  readonly undecided: readonly Fact[]
  /** Sequence number through which facts are decided. */
  readonly decided: number
  /** Decisions that came out differently; empty for a log that today's code reproduces. */
  readonly differences: readonly Difference[]
}

/** A decision that today's code makes otherwise. */
export interface Difference {
  readonly seq: number
  readonly stored: DecisionPayload<'run.transitioned'>
  readonly computed: DecisionPayload<'run.transitioned'>
}

/** Folds a run's events, in order. Throws for an event that is not what its type says. */
export function replay(subject: Subject, events: Iterable<FoldableEvent>): Replayed {
  let state = initialState(subject.machine)
  let decided = 0
  let pending: FoldableEvent[] = []
  const differences: Difference[] = []
  for (const event of events) {
    if (isFactType(event.type)) pending.push(event)
    if (event.type !== 'run.transitioned') continue
    const stored = decisionSchemas['run.transitioned'].parse(
      upcast(event.type, event.version, event.payload),
    )
    const folded = pending.filter((each) => each.seq <= stored.through)
    const { through, withoutPolicies } = stored
    const by = withoutPolicies ? { ...subject, evaluatorOf: () => null } : subject
    const decision = decide(by, state, readable(folded))
    const made = { from: decided, through, ...(withoutPolicies ? { withoutPolicies } : {}) }
    const computed = transitioned(decision, made)
    if (!same(stored, computed)) differences.push({ seq: event.seq, stored, computed })
    state = decision.state
    decided = stored.through
    pending = pending.filter((each) => each.seq > stored.through)
  }
  return { state, undecided: readable(pending), decided, differences }
}

/** The facts of a batch; of one that was faulted, the fault alone: another of them cannot be read (I22). */
function readable(events: readonly FoldableEvent[]): readonly Fact[] {
  const fault = events.find((event) => event.type === 'run.faulted')
  return (fault ? [fault] : events).flatMap((event) => readFact(event) ?? [])
}

/** Is this, in whatever form, the cache of a state? Throws a `NewerError` for a form that this build does not know. */
export function isCacheOf(machine: Machine, state: RunState, cached: JsonObject): boolean {
  try {
    return same(persist(revive(machine, cached)), persist(state))
  } catch (error) {
    if (error instanceof NewerError) throw error
    return false
  }
}

/** Equal as JSON values; the order of keys says nothing, jsonb does not keep it. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = new Map(Object.entries(a))
  const right = Object.entries(b)
  return left.size === right.length && right.every(([key, value]) => same(left.get(key), value))
}
