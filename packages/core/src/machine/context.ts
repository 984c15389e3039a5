/**
 * What a run remembers between decisions: ids and counters, never conversation (DESIGN §3.11: at most 2 kB as JSON).
 */
import type { AgentDefinition } from '../definition.ts'
import type { Fact } from '../event/fact.ts'
import { limits } from '../limits.ts'
import type { Outcome } from '../outcome.ts'

/** A call of the current turn that has no result yet: `running`, `unknown` to everybody, or `asked` of a human. */
export interface OpenCall {
  /** Number of its effect; 0 while a human is asked, because there is none yet. */
  readonly effect: number
  readonly status: 'running' | 'unknown' | 'asked'
}

export interface RunContext {
  readonly run: string
  /** Model turns begun. */
  readonly turn: number
  /** Retries of the current turn's model call. */
  readonly retry: number
  /** Effects requested so far: the number in the next effect's id is one more. */
  readonly effects: number
  /** Number of the model call in flight, or of the one whose calls are open; 0 before the first. */
  readonly source: number
  readonly modelOpen: boolean
  /** Open calls of the turn by their index. */
  readonly open: Readonly<Record<string, OpenCall>>
  /** Tool calls the model asked for, over the whole run. */
  readonly calls: number
  readonly tokens: number
  /** Digests of the last call sets, newest last, at most `loop.windowSize`. */
  readonly window: readonly string[]
  /** Sets that were warned about and are still in the window: a subset of it. */
  readonly warned: readonly string[]
  /** Time in which the run did not wait for a human, up to `since`; milliseconds. */
  readonly activeMs: number
  /** When the run last began to be active; null while it waits. */
  readonly since: number | null
  /** What the run will end as once everything open has settled. */
  readonly ending: Outcome | null
}

/** Static: XState re-runs a context factory on every transition. */
export const emptyContext: RunContext = {
  run: '',
  turn: 0,
  retry: 0,
  effects: 0,
  source: 0,
  modelOpen: false,
  open: {},
  calls: 0,
  tokens: 0,
  window: [],
  warned: [],
  activeMs: 0,
  since: null,
  ending: null,
}

/** What the machine is sent: a fact, together with the definition the run pinned and the run's id. */
export type MachineEvent = {
  [T in Fact['type']]: {
    readonly type: T
    readonly fact: Extract<Fact, { type: T }>
    readonly agent: AgentDefinition
    readonly run: string
  }
}[Fact['type']]

/** The id of the n-th effect of a run: its idempotency key, the same on every attempt (I9). */
export const effectId = (run: string, n: number): string => `${run}.${n}`

/** Ids of a turn's calls start with this; a model adapter numbers them from 0. Unique within a thread. */
export const callIdPrefix = (run: string, turn: number): string => `c_${run.slice(-12)}_${turn}`

/** The index of a call within its turn, as a key of `open`; null for an id that is not one of this turn's. */
export function callIndex(context: RunContext, callId: string): string | null {
  const prefix = `${callIdPrefix(context.run, context.turn)}_`
  if (!callId.startsWith(prefix)) return null
  const index = callId.slice(prefix.length)
  return /^(0|[1-9]\d*)$/.test(index) && Number(index) < limits.callsPerTurnMax ? index : null
}

/** The id of the message a turn writes, whichever retry of it succeeds. */
export const messageId = (run: string, turn: number): string => `m_${run.slice(-12)}_${turn}`
