/**
 * A run as this process last saw it: the state after the last decision, the cursors, and the conversation so far. A
 * cache of the register, never more: whoever decides from a stale view is refused by the `decided` cursor (I4).
 */
import {
  type AgentDefinition,
  type Fact,
  type FoldableEvent,
  initialState,
  readFact,
  replay,
  revive,
  type RunState,
  type Subject,
} from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import { messageOf, TerminalError } from '../errors.ts'
import type { EvaluatorOf } from './decision.ts'
import type { AppendResult, ParentRef, Register, RunHead, StoredEvent } from '../ports.ts'

export interface RunView {
  readonly runId: string
  readonly tenantId: string
  readonly threadId: string
  readonly agent: AgentDefinition
  readonly parent: ParentRef | null
  /** Does it stand in lanes? Its end, and its waiting, give room to others. */
  readonly laned: boolean
  readonly state: RunState
  readonly seq: number
  readonly facts: number
  readonly decided: number
  readonly ended: boolean
}

export interface LoadedRun {
  readonly view: RunView
  /** Facts after `view.decided`, in order: what the next decision folds. */
  readonly undecided: readonly Fact[]
  /** A fact that cannot be read: the run must be faulted (I22). */
  readonly poison: string | null
  /** The events they were read from, and what stands between them. */
  readonly events: readonly StoredEvent[]
}

export interface Views {
  /** Reads a run and what is undecided of it. Null: no such run. */
  load(runId: string): Promise<LoadedRun | null>
  cached(runId: string): RunView | undefined
  remember(view: RunView): void
  /** Takes over the seq after an append of this process that wrote notes alone: the state is still the known one. */
  noted(runId: string, cursors: Pick<AppendResult, 'seq' | 'facts' | 'decided'>): void
  forget(runId: string): void
  definition(hash: string): Promise<AgentDefinition>
}

/** How definitions become ready to decide with. */
export interface Readiness {
  readonly evaluatorOf: EvaluatorOf
  /** Loads what the policies of a definition need. Rejects with what is missing. */
  readonly prepare: (definition: AgentDefinition) => Promise<void>
}

export function createViews(
  register: Register,
  cachedRuns: number,
  { evaluatorOf, prepare }: Readiness,
): Views {
  const views = new LRUCache<string, RunView>({ max: cachedRuns })
  const definitions = new LRUCache<string, AgentDefinition>({ max: cachedRuns })

  const definition = async (hash: string): Promise<AgentDefinition> => {
    const known = definitions.get(hash)
    if (known) return known
    const found = await register.definition(hash)
    if (!found) throw new TerminalError('no_definition', `the definition ${hash} is not stored`)
    await prepare(found)
    definitions.set(hash, found)
    return found
  }

  const load = async (runId: string): Promise<LoadedRun | null> => {
    const tail = await register.tail(runId)
    if (!tail) return null
    const { head, events } = tail
    const agent = await definition(head.definitionHash)
    const cached = views.get(runId)
    const isCurrent = cached?.decided === head.decided
    const state = isCurrent
      ? cached.state
      : await stateOf(register, head, { run: head.runId, agent, evaluatorOf })
    const { undecided, poison } = readFacts(events)
    const view = viewOf(head, agent, state)
    views.set(runId, view)
    return { view, undecided, poison, events }
  }

  return {
    load,
    definition,
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

function readFacts(events: readonly StoredEvent[]): Pick<LoadedRun, 'undecided' | 'poison'> {
  const undecided: Fact[] = []
  for (const event of events) {
    try {
      const fact = readFact(event)
      if (fact) undecided.push(fact)
    } catch (error) {
      return { undecided, poison: `event ${event.seq} (${event.type}): ${messageOf(error)}` }
    }
  }
  return { undecided, poison: null }
}

function viewOf(head: RunHead, agent: AgentDefinition, state: RunState): RunView {
  const { runId, tenantId, threadId, parent, laned, seq, facts, decided } = head
  const ended = head.status === 'ended'
  return { runId, tenantId, threadId, agent, parent, laned, state, seq, facts, decided, ended }
}

/** The cached state, or, where the cache is gone or unreadable, the fold of the log. */
async function stateOf(register: Register, head: RunHead, subject: Subject): Promise<RunState> {
  if (head.decided === 0) return initialState
  if (head.state) {
    try {
      return revive(head.state)
    } catch {
      // An unreadable cache is a deleted cache: the log says what the state is.
    }
  }
  return foldLog(subject, await register.events(head.runId, {}), head.decided)
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
  run: Pick<RunView, 'runId' | 'tenantId' | 'threadId' | 'agent' | 'parent' | 'laned'>,
): RunView => ({ ...run, state: initialState, seq: 0, facts: 0, decided: 0, ended: false })
