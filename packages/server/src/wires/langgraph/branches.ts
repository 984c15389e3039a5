/**
 * Steps of a thread whose runs go on from each other in more than one way. Each branch is folded once, from its beginning to
 * its newest step that is wanted: a thread that nobody forked is one branch.
 */
import type { StoredEvent } from '@signalbox/engine'
import { parseCheckpointId } from './checkpoint.ts'
import { beginningOf, foldSteps, type StateStep, type StepHead } from './state-steps.ts'

/** The steps that are wanted, by id; `all` are the steps of all events. */
export function foldBranches(
  events: readonly StoredEvent[],
  all: readonly StepHead[],
  wanted: readonly StepHead[],
): ReadonlyMap<string, StateStep> {
  const byRun = Map.groupBy(events, ({ runId }) => runId)
  const firsts = new Map(all.filter(({ isInput }) => isInput).map((head) => [head.runId, head]))
  const steps = new Map<string, StateStep>()
  for (const { id, runId } of wanted.toReversed()) {
    if (steps.has(id)) continue
    const branch = branchOf(runId, firsts, byRun)
    const whole = new Set(branch.filter(({ isWhole }) => isWhole).map((part) => part.runId))
    // Where another goes on from the middle of a run, that run has a branch of its own.
    const own = wanted.filter((head) => whole.has(head.runId) && !steps.has(head.id))
    const said = branch.flatMap((part) => part.events)
    for (const step of foldSteps(said, own)) steps.set(step.id, step)
  }
  return steps
}

interface Part {
  readonly runId: string
  readonly events: readonly StoredEvent[]
  /** Are these all events of the run that are to be had? */
  readonly isWhole: boolean
}

/** The conversation that a run belongs to, its own events included. */
function branchOf(
  last: string,
  firsts: ReadonlyMap<string, StepHead>,
  byRun: ReadonlyMap<string, readonly StoredEvent[]>,
): readonly Part[] {
  const parts: Part[] = []
  let next: string | undefined = last
  let through = Infinity
  while (next !== undefined) {
    const runId: string = next
    const events: readonly StoredEvent[] = byRun.get(runId) ?? []
    const seen = events.filter(({ seq }) => seq <= through)
    parts.push({ runId, events: seen, isWhole: through === Infinity })
    const base = events.map((event) => beginningOf(event).base).find((found) => found)
    through = base?.seq ?? Infinity
    next = parseCheckpointId(firsts.get(runId)?.parentId ?? '')?.runId
  }
  return parts.toReversed()
}
