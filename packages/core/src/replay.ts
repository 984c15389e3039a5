/**
 * Replay: folds a log with the machine its run is pinned to. Each decision is made again over exactly the facts it folded
 * then, and must come out the same (I16), with the same verdicts; the last state must be the cached one (I15).
 */
import { type Difference, isVerdictType, verdictDifference } from './compare-verdicts.ts'
import { decisionSchemas, type Verdict } from './event/decision.ts'
import { type Fact, isFactType } from './event/fact.ts'
import { type FoldableEvent, readFact, upcast } from './event/upcast.ts'
import { decide, type Subject, transitioned } from './decide.ts'
import type { JsonObject } from './json.ts'
import type { Machine } from './machine/versions.ts'
import { NewerError } from './newer.ts'
import { same } from './same.ts'
import { initialState, persist, revive, type RunState } from './state.ts'

/** What a fold of a log comes to. */
export interface Replayed {
  readonly state: RunState
  /** Facts after the last decision: what the next decision folds. */
  readonly undecided: readonly Fact[]
  /** Sequence number through which facts are decided. */
  readonly decided: number
  /**
   * The first place where today's code decides, or tells, otherwise; none for a log that it reproduces. What follows from that one
   * is no difference of its own.
   */
  readonly differences: readonly Difference[]
}

/** The verdicts that a decision told: to be compared when all of it was read. */
interface Telling {
  readonly seq: number
  readonly stored: FoldableEvent[]
  readonly computed: readonly Verdict[]
}

/** A log that is folded event by event. */
export interface Replay {
  /** Throws for an event that is not what its type says. */
  take(event: FoldableEvent): void
  /** The state after the last decision that was taken, and the facts through which it decided. */
  readonly state: RunState
  readonly decided: number
  /** What the fold comes to so far. More may be taken. */
  result(): Replayed
}

/** Begins to fold the log of a run. */
export function createReplay(subject: Subject): Replay {
  let state = initialState(subject.machine)
  let decided = 0
  let pending: FoldableEvent[] = []
  let first: Difference | null = null
  let telling: Telling | null = null

  const takeDecision = (event: FoldableEvent): void => {
    first ??= told(telling)
    const stored = decisionSchemas['run.transitioned'].parse(
      upcast(event.type, event.version, event.payload),
    )
    const folded = pending.filter((each) => each.seq <= stored.through)
    const { through, withoutPolicies } = stored
    const by = withoutPolicies ? { ...subject, evaluatorOf: () => null } : subject
    const decision = decide(by, state, readable(folded))
    const made = { from: decided, through, ...(withoutPolicies ? { withoutPolicies } : {}) }
    const computed = transitioned(decision, made)
    const { seq, type } = event
    if (!same(stored, computed)) first ??= { seq, type, stored, computed }
    telling = { seq, stored: [], computed: decision.verdicts }
    state = decision.state
    decided = stored.through
    pending = pending.filter((each) => each.seq > stored.through)
  }

  return {
    take(event) {
      if (isFactType(event.type)) pending.push(event)
      if (isVerdictType(event.type)) telling?.stored.push(event)
      if (event.type === 'run.transitioned') takeDecision(event)
    },
    get state() {
      return state
    },
    get decided() {
      return decided
    },
    result() {
      const difference = first ?? told(telling)
      return {
        state,
        undecided: readable(pending),
        decided,
        differences: difference ? [difference] : [],
      }
    },
  }
}

/** Folds a run's events, in order. Throws for an event that is not what its type says. */
export function replay(subject: Subject, events: Iterable<FoldableEvent>): Replayed {
  const replayed = createReplay(subject)
  for (const event of events) replayed.take(event)
  return replayed.result()
}

const told = (telling: Telling | null): Difference | null =>
  telling && verdictDifference(telling.seq, telling.stored, telling.computed)

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
