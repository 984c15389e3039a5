/**
 * The decider: what the facts make of a run. Pure and total over facts that parse: no clock, no chance, no I/O.
 *
 * D1 decide(s, a ++ b) ends in the state that decide(decide(s, a), b) ends in, faults (D5) and what comes with the end (D7) aside.
 * D2 An ended run absorbs every fact.
 * D3 Effect ids are `<run>.<n>` with n rising: none is emitted twice.
 * D4 A fact that means nothing in its state is recorded as `event.ignored`, once, and changes nothing.
 * D5 A batch that holds `run.faulted` folds nothing else of it: one of the others cannot be folded (I22).
 * D6 A decision that ends the run asks for no work but to tell of the end (`machine/tell.ts`), for a title (`machine/title.ts`) and for learning
 *    from it (`machine/learn.ts`): what earlier facts of its batch asked for is left out.
 * D7 What was said to a run is heard before the fact of its batch that ends it. That decision is made over all facts there are
 *    (I6), so nothing that was accepted comes too late (`machine/injected.ts`).
 */
import type { AgentDefinition } from './definition.ts'
import type { Effect, Timer } from './effect.ts'
import type { DecisionPayload, Verdict } from './event/decision.ts'
import type { Fact } from './event/fact.ts'
import type { MachineEvent, RunContext } from './machine/context.ts'
import { leftVerdicts } from './machine/step/input.ts'
import { isAtRest, isWaiting, keepTime } from './machine/clock.ts'
import { learnFrom } from './machine/learn.ts'
import { macrostep } from './machine/macrostep.ts'
import type { Emission } from './machine/plan.ts'
import { askedTimers } from './machine/settle.ts'
import { outlives, tell } from './machine/tell.ts'
import { entitle } from './machine/title.ts'
import type { Machine } from './machine/versions.ts'
import type { Outcome, RunStatus, StateName } from './outcome.ts'
import { noPassports, type PassportEvaluator } from './verdict/authorization/passports.ts'
import type { PureEvaluator } from './verdict/authorization/request.ts'
import type { PolicySpec } from './verdict/authorization/spec.ts'
import { isFinal, type RunState, restore, toState } from './state.ts'

/** What one decision is made of; the shell writes it as one append. */
export interface Decision {
  readonly state: RunState
  readonly status: RunStatus
  readonly outcome: Outcome | null
  /** States passed, also those passed through, from the one before to the one after; repeats in a row are folded. */
  readonly path: readonly StateName[]
  readonly verdicts: readonly Verdict[]
  readonly effects: readonly Effect[]
  readonly retries: readonly string[]
  readonly timers: readonly Timer[]
  readonly clearTimers: readonly string[]
}

/** Who is deciding about what: the run, and what it pinned. */
export interface Subject {
  readonly run: string
  readonly agent: AgentDefinition
  /** The machine of the version the run is pinned to, never another. */
  readonly machine: Machine
  /**
   * Evaluators of pure policies that are not the core's own (Cedar): always the same answer to the same request. A policy
   * that has none denies.
   */
  readonly evaluatorOf?: (spec: PolicySpec) => PureEvaluator | null
  /** Judges passports. Absent, they cannot be asked, which denies. */
  readonly passports?: PassportEvaluator
}

interface Step {
  readonly state: RunState
  /** The states this fact led through, in order. */
  readonly path: readonly StateName[]
  readonly emissions: readonly Emission[]
}

/** Folds the facts, in order, and collects what they ask for. */
export function decide(subject: Subject, from: RunState, facts: readonly Fact[]): Decision {
  const path: StateName[] = [from.name]
  const emissions: Emission[] = []
  let state = from
  const faulted = facts.find((fact) => fact.type === 'run.faulted')
  let rest = faulted ? [faulted] : facts
  for (let fact = rest[0]; fact; fact = rest[0]) {
    const next = step(subject, state, fact)
    const ends = isFinal(next.state) && !isFinal(state)
    if (ends && rest.some(isInput)) {
      rest = [...rest.filter(isInput), ...rest.filter((each) => !isInput(each))]
      continue
    }
    rest = rest.slice(1)
    const told = isFinal(state) ? null : follow(subject.agent, state, next.state)
    state = told ? { ...next.state, context: told.context } : next.state
    emissions.push(...next.emissions, ...(told ? [{ effects: told.effects }] : []))
    if (ends) emissions.push({ verdicts: leftVerdicts(state.context) })
    for (const name of next.path) if (path.at(-1) !== name) path.push(name)
  }
  const collected = collect(emissions)
  const work = isFinal(state)
    ? { ...collected, effects: collected.effects.filter(outlives), retries: [] }
    : collected
  return { ...work, state, path, status: statusOfState(state), outcome: outcomeOf(state) }
}

/** The effects that follow a step: webhooks to deliver, and, for a run that has ended, the title to make and the learning to begin. */
function follow(
  agent: AgentDefinition,
  before: RunState,
  after: RunState,
): { readonly context: RunContext; readonly effects: readonly Effect[] } {
  const told = tell(before, after)
  const entitled = entitle(agent, { ...after, context: told.context })
  const learned = learnFrom(agent, { ...after, context: entitled.context })
  const effects = [...told.effects, ...entitled.effects, ...learned.effects]
  return { context: learned.context, effects }
}

const isInput = ({ type }: Fact): boolean => type === 'input.injected'

function step(
  { run, agent, machine, evaluatorOf = () => null, passports = noPassports }: Subject,
  state: RunState,
  fact: Fact,
): Step {
  if (isFinal(state)) return ignore(state, fact)
  if (fact.type === 'run.faulted') return timed(agent, fault(state), fact.at)
  const before = restore(machine, state)
  const emissions: Emission[] = []
  const ask = (emission: Emission): void => void emissions.push(emission)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type` and `fact` agree by construction
  const event = { type: fact.type, fact, agent, run, evaluatorOf, passports, ask } as MachineEvent
  const passed = macrostep(machine.chart, before, event)
  const after = passed.at(-1) ?? before
  if (after === before) return ignore(state, fact)
  const path = passed.map((snapshot) => toState(snapshot).name)
  return timed(agent, { state: toState(after), path, emissions }, fact.at)
}

/** Advances the run's own clock, after what the fact did. */
function timed(agent: AgentDefinition, { state, path, emissions }: Step, at: number): Step {
  const atRest = isAtRest(state.name, state.context)
  const kept = keepTime(agent, state.context, { atRest, final: isFinal(state), at })
  return {
    state: { ...state, context: { ...state.context, ...kept.time } },
    path,
    emissions: [...emissions, kept.emission],
  }
}

function fault(state: RunState): Step {
  const context = {
    ...state.context,
    open: {},
    modelOpen: false,
    policy: 0,
    ending: 'failed' as const,
  }
  const emissions = [{ clearTimers: askedTimers(state.context) }]
  return { state: { name: 'failed', context }, path: ['failed'], emissions }
}

function ignore(state: RunState, fact: Fact): Step {
  const payload = { seq: fact.seq, type: fact.type, state: state.name }
  const ignored: Verdict = { type: 'event.ignored', payload, tool: null, verdict: 'ignored' }
  return { state, path: [], emissions: [{ verdicts: [ignored] }] }
}

type Collected = Pick<Decision, 'verdicts' | 'effects' | 'retries' | 'timers' | 'clearTimers'>

/** The last word on a timer counts: set after clear sets, clear after set clears. */
function collect(emissions: readonly Emission[]): Collected {
  const timers = new Map<string, Timer | null>()
  for (const emission of emissions) {
    for (const id of emission.clearTimers ?? []) timers.set(id, null)
    for (const timer of emission.timers ?? []) timers.set(timer.id, timer)
  }
  return {
    verdicts: emissions.flatMap((emission) => emission.verdicts ?? []),
    effects: emissions.flatMap((emission) => emission.effects ?? []),
    retries: emissions.flatMap((emission) => emission.retries ?? []),
    timers: [...timers.values()].filter((timer) => timer !== null),
    clearTimers: [...timers].flatMap(([id, timer]) => (timer ? [] : [id])),
  }
}

/** What a run in this state is doing. */
export function statusOfState(state: RunState): RunStatus {
  if (isFinal(state)) return 'ended'
  if (state.name === 'queued') return 'queued'
  return isWaiting(state.name, state.context) ? 'waiting' : 'running'
}

const outcomeOf = (state: RunState): Outcome | null =>
  isFinal(state) ? (state.context.ending ?? 'completed') : null

/** The payload of `run.transitioned` for a decision over the facts (from, through], and how it was made. */
export function transitioned(
  decision: Decision,
  facts: Pick<DecisionPayload<'run.transitioned'>, 'from' | 'through' | 'withoutPolicies'>,
): DecisionPayload<'run.transitioned'> {
  return {
    ...facts,
    path: [...decision.path],
    outcome: decision.outcome,
    effects: [...decision.effects],
    retries: [...decision.retries],
    timers: [...decision.timers],
    clearTimers: [...decision.clearTimers],
  }
}
