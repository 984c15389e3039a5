/**
 * A run as this process last saw it: the state after the last decision, the cursors, and the conversation so far. A
 * cache of the register, never more: whoever decides from a stale view is refused by the `decided` cursor (I4).
 */
import {
  type AgentDefinition,
  type Fact,
  type FoldableEvent,
  initialState,
  isFactType,
  type Machine,
  type Machines,
  NewerError,
  type PassportEvaluator,
  readFact,
  replay,
  revive,
  type RunState,
  type Subject,
} from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import { messageOf, TerminalError } from '../errors.ts'
import { type EvaluatorOf, evaluators } from './decision.ts'
import { isChanged, noDefinition } from './definition.ts'
import type { Preparations } from './preparations.ts'
import type {
  AppendResult,
  EffectRow,
  Register,
  RunHead,
  RunRef,
  RunTail,
  StoredEvent,
} from '../ports.ts'

type Cursors = 'seq' | 'facts' | 'decided'

export interface RunView extends Pick<
  RunHead,
  'runId' | 'tenantId' | 'threadId' | 'definitionHash' | 'parent' | Cursors
> {
  readonly agent: AgentDefinition
  /** The machine of the version the run is pinned to. */
  readonly machine: Machine
  /** Does it stand in lanes? Its end, and its waiting, give room to others. */
  readonly laned: boolean
  readonly state: RunState
  /** Where the run was when the state was read, or decided. */
  readonly stateSeq: number
  readonly ended: boolean
}

export interface LoadedRun {
  readonly view: RunView
  /** Facts after `view.decided`, in order: what the next decision folds. */
  readonly undecided: readonly Fact[]
  /** A fact that cannot be read, or a definition that was changed: the run must be faulted (I22). */
  readonly poison: string | TerminalError | null
  /** The events they were read from, and what stands between them. */
  readonly events: readonly StoredEvent[]
}

/** A run that is newer than this build, and why: other processes know it. */
export interface NotMine extends RunRef {
  readonly notMine: string
}

export interface Views {
  /** Reads a run and what is undecided of it. Null: no such run. */
  load(runId: string): Promise<LoadedRun | NotMine | null>
  cached(runId: string): RunView | undefined
  remember(view: RunView): void
  /** Takes over the seq after an append of this process that wrote notes alone: the state is still the known one. */
  noted(runId: string, cursors: Pick<AppendResult, Cursors>): void
  forget(runId: string): void
  /** Reads a definition. Rejects with a `NewerError` if it says what this build does not know. Its policies may not be ready. */
  definition(hash: string): Promise<AgentDefinition>
  /** The same of a run. One whose definition was changed is faulted before this rejects. */
  definitionOf(run: RunRef & { readonly definitionHash: string }): Promise<AgentDefinition>
  /** What this process lacks for the policies of a definition; null: nothing. */
  lackOf(hash: string): Promise<string | null>
  /** Why an effect is to be performed by other processes; null: this one may. */
  notMine(
    row: RunRef & Pick<EffectRow, 'definitionHash' | 'machineVersion'>,
  ): Promise<string | null>
}

/** The conversations that this process keeps for its prompts: what is read of a run to decide is not read for them again. */
export interface KeptConversations {
  /** The sequence number up to which all that was said in the run is kept; null: nothing of it is. */
  keptTo(runId: string): number | null
  /** Events of a run that were read, without a gap between them. */
  take(runId: string, events: readonly StoredEvent[]): void
  /** Nothing was said in the run between two sequence numbers. */
  nothingSaid(runId: string, between: { readonly from: number; readonly to: number }): void
}

export interface ViewsDeps {
  readonly register: Register
  readonly conversations: KeptConversations
  readonly cachedRuns: number
  readonly machines: Machines
  readonly evaluatorOf: EvaluatorOf
  readonly passports: PassportEvaluator
  readonly preparations: Preparations
  /** Faults a run whose definition was changed. */
  readonly faultChanged: (run: RunRef, error: TerminalError) => Promise<unknown>
}

/** Definitions, as this process has read them: each was checked when it was. */
function definitionsOf(deps: ViewsDeps): Pick<Views, 'definition' | 'definitionOf'> {
  const { register, cachedRuns, faultChanged } = deps
  const definitions = new LRUCache<string, AgentDefinition>({ max: cachedRuns })
  const definition = async (hash: string): Promise<AgentDefinition> => {
    const known = definitions.get(hash)
    if (known) return known
    const found = await register.definition(hash)
    if (!found) throw new TerminalError('no_definition', `the definition ${hash} is not stored`)
    definitions.set(hash, found)
    return found
  }

  const definitionOf: Views['definitionOf'] = async (run) => {
    try {
      return await definition(run.definitionHash)
    } catch (error) {
      if (isChanged(error)) await faultChanged(run, error)
      throw error
    }
  }
  return { definition, definitionOf }
}

export function createViews(deps: ViewsDeps): Views {
  const { register, conversations, cachedRuns, machines, evaluatorOf, passports, preparations } =
    deps
  const views = new LRUCache<string, RunView>({ max: cachedRuns })

  const { definition, definitionOf } = definitionsOf(deps)

  const loaded = async ({ head, events }: RunTail): Promise<LoadedRun> => {
    const machine = head.machine === 'run' ? machines.get(head.machineVersion) : undefined
    if (!machine) throw new NewerError(`${head.machine} v${head.machineVersion}, its machine,`)
    const agent = await definition(head.definitionHash)
    const lack = await preparations.lackOf(head.definitionHash, agent)
    const cached = views.get(head.runId)
    const isCurrent = cached?.decided === head.decided && !events.some(isRepair)
    const policies = evaluators(lack === null, evaluatorOf)
    const { runId: run } = head
    const subject = { run, agent, machine, evaluatorOf: policies.evaluatorOf, passports }
    const known = isCurrent ? cached.state : await stateOf(register, head, subject)
    if (policies.missed()) throw new TerminalError('unprepared', lack ?? '')
    const { undecided, poison } = readFacts(events)
    const state = typeof known === 'string' ? initialState(machine) : known
    const view = viewOf(head, { agent, machine, state })
    if (typeof known === 'string') return { view, undecided: [], poison: known, events }
    views.set(head.runId, view)
    return { view, undecided, poison, events }
  }

  const load: Views['load'] = async (runId) => {
    const read = await register.tail(runId, conversations.keptTo(runId))
    if (!read) return null
    conversations.take(runId, read.events)
    const tail = { ...read, events: read.events.filter(({ seq }) => seq > read.head.decided) }
    try {
      return await loaded(tail).catch((error: unknown) => poisoned(tail, machines, error))
    } catch (error) {
      if (!(error instanceof NewerError) && !(error instanceof TerminalError)) throw error
      const { tenantId } = tail.head
      return { runId, tenantId, notMine: error.message }
    }
  }

  const lackOf: Views['lackOf'] = async (hash) => preparations.lackOf(hash, await definition(hash))

  return {
    load,
    definition,
    definitionOf,
    lackOf,
    async notMine(row) {
      const { machineVersion, definitionHash } = row
      if (!machines.has(machineVersion)) return `its machine is of version ${machineVersion}`
      try {
        return await preparations.lackOf(definitionHash, await definitionOf(row))
      } catch (error) {
        if (error instanceof NewerError || isChanged(error)) return error.message
        throw error
      }
    },
    cached: (runId) => views.get(runId),
    remember: (view) => void views.set(view.runId, view),
    noted(runId, { seq, facts, decided }) {
      const known = views.get(runId)
      const isSame = known?.facts === facts && known.decided === decided
      if (isSame && known.seq < seq) views.set(runId, { ...known, seq })
    },
    forget: (runId) => void views.delete(runId),
  }
}

/** Another process found the cached state damaged: what this one has read of the same decision may be the damaged one. */
const isRepair = ({ type }: StoredEvent): boolean => type === 'state.repaired'

function readFacts(events: readonly StoredEvent[]): Pick<LoadedRun, 'undecided' | 'poison'> {
  const undecided: Fact[] = []
  for (const event of events) {
    // Facts alone have a key.
    if (event.key !== null && !isFactType(event.type)) throw new NewerError(`a fact ${event.type}`)
    try {
      const fact = readFact(event)
      if (fact) undecided.push(fact)
    } catch (error) {
      if (error instanceof NewerError) throw error
      return { undecided, poison: `event ${event.seq} (${event.type}): ${messageOf(error)}` }
    }
  }
  return { undecided, poison: null }
}

/** A run whose definition was changed, as far as it can be known without one: enough to fold its fault, and nothing else. */
function poisoned({ head, events }: RunTail, machines: Machines, poison: unknown): LoadedRun {
  const machine = machines.get(head.machineVersion)
  if (!isChanged(poison) || !machine) throw poison
  const view = viewOf(head, {
    agent: noDefinition(head.agent),
    machine,
    state: cachedState(machine, head),
  })
  return { view, undecided: [], poison, events }
}

/** The cached state; where it cannot be read, that of a run that has not begun. Throws a `NewerError` for a newer form. */
function cachedState(machine: Machine, { state }: RunHead): RunState {
  try {
    return state ? revive(machine, state) : initialState(machine)
  } catch (error) {
    if (error instanceof NewerError) throw error
    return initialState(machine)
  }
}

function viewOf(head: RunHead, made: Pick<RunView, 'agent' | 'machine' | 'state'>): RunView {
  const { runId, tenantId, threadId, definitionHash, parent, laned, seq, facts, decided } = head
  const place = { runId, tenantId, threadId, definitionHash, parent, laned }
  return { ...place, ...made, stateSeq: seq, seq, facts, decided, ended: head.status === 'ended' }
}

/**
 * The cached state, or, where the cache is gone or unreadable, the fold of the log by the run's own machine. A text says
 * why there is neither: then the run is poisoned. Rejects with a `NewerError` for a cache of a newer form.
 */
async function stateOf(
  register: Register,
  head: RunHead,
  subject: Subject,
): Promise<RunState | string> {
  if (head.decided === 0) return initialState(subject.machine)
  if (head.state) {
    try {
      return revive(subject.machine, head.state)
    } catch (error) {
      if (error instanceof NewerError) throw error
      // An unreadable cache is a deleted cache: the log says what the state is.
    }
  }
  const events = await register.events(head.runId, {})
  try {
    return foldLog(subject, events, head.decided)
  } catch (error) {
    if (error instanceof NewerError) throw error
    return `the log cannot be folded: ${messageOf(error)}`
  }
}

/** The state the log itself gives after the decision that folded through `decided`. */
export function foldLog(
  subject: Subject,
  events: readonly FoldableEvent[],
  decided: number,
): RunState {
  const last = events.findLastIndex(
    (event) => event.type === 'run.transitioned' && event.payload['through'] === decided,
  )
  return replay(subject, events.slice(0, last + 1)).state
}

/** A run that is only just being created. */
export const emptyView = (
  run: Omit<RunView, 'state' | 'stateSeq' | 'ended' | Cursors>,
): RunView => ({
  ...run,
  state: initialState(run.machine),
  stateSeq: 0,
  seq: 0,
  facts: 0,
  decided: 0,
  ended: false,
})
