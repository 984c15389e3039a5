/**
 * The memory of a run between decisions: ids and counters, never conversation (DESIGN §3.11: at most 2 kB as JSON).
 */
import type { AgentDefinition } from '../definition.ts'
import type { Fact, FactPayload } from '../event/fact.ts'
import { limits } from '../limits.ts'
import type { Outcome } from '../outcome.ts'
import type { Bench } from '../verdict/authorization/judge.ts'
import type { PassportEvaluator } from '../verdict/authorization/passports.ts'
import { noCalls, type RateState } from '../verdict/authorization/rates.ts'
import type { PureEvaluator } from '../verdict/authorization/request.ts'
import type { PolicySpec } from '../verdict/authorization/spec.ts'
import type { Budget } from '../budget.ts'
import { reliefs } from '../verdict/context/relieved.ts'
import type { RoomState } from '../verdict/context/room.ts'
import { emptyLoop, type LoopState } from '../verdict/loop/state.ts'
import type { SkillPositions } from '../verdict/skill/verdict.ts'
import type { Emission } from './plan.ts'
import type { Wanted } from '../webhook.ts'

/**
 * The things that a call of the current turn without a result may wait for: its execution (`running`), the run that does its work
 * (`child`), a word on what became of it (`unknown`), a human's approval (`asked`), a human's answer (`question`), or the policies with I/O (`judging`; `gated`, if a
 * human must be asked in any case).
 */
export const callStatuses = [
  'running',
  'child',
  'unknown',
  'asked',
  'question',
  'judging',
  'gated',
] as const
export type OpenStatus = (typeof callStatuses)[number]

export interface OpenCall {
  /** Number of its effect; 0 while it has none. */
  readonly effect: number
  readonly status: OpenStatus
  /** Position of its tool in the agent's list. */
  readonly tool: number
}

export interface RunContext {
  readonly run: string
  /** Model turns begun. */
  readonly turn: number
  /** Model calls of the current turn after its first: retries, fallbacks, corrections. */
  readonly retry: number
  /** Of these, retries of the current model, and what the last one waited, in milliseconds. */
  readonly tries: number
  readonly waitedMs: number
  /** 0: the agent's own model; n: its n-th fallback, for the rest of the run. */
  readonly model: number
  /** Corrections of the current turn by stream guardrails. */
  readonly corrections: number
  /** Empty answers after tool results that were asked for again. */
  readonly empties: number
  /** Turns that went on after a length limit. */
  readonly continued: number
  /** Effects requested so far: the number in the next effect's id is one more. */
  readonly effects: number
  /** Number of the model call in flight, or of the one whose calls are open; 0 before the first. */
  readonly source: number
  readonly modelOpen: boolean
  /** Number of the question to the policies with I/O that is open; 0 if none. */
  readonly policy: number
  /** The turn whose calls were judged last. */
  readonly opened: number
  /** Open calls of the turn by their index. */
  readonly open: Readonly<Record<string, OpenCall>>
  /** Tool calls the model asked for, over the whole run. */
  readonly calls: number
  readonly tokens: number
  /** Millionths of the currency's unit. */
  readonly cost: number
  /** How many runs stand above this one: 0 for a run that nobody started. */
  readonly depth: number
  /** Runs this one has started. */
  readonly children: number
  /** Does it repeat another run? Then no call of it executes. */
  readonly rerun: boolean
  /** Turns of children that have ended, and of theirs. */
  readonly childTurns: number
  /** Items of the newest plan that are not completed, and reminders of them. */
  readonly todosOpen: number
  readonly todosReminded: number
  /** Is nobody there who could answer a question? 1: nobody is. */
  readonly unattended: number
  /** Skills that are loaded: their positions in the agent's list, in that order. */
  readonly skills: SkillPositions
  /** The newest event that says something the model was not shown yet; 0 if there is none. */
  readonly injected: number
  /** Budgets the model was warned about. */
  readonly told: readonly Budget[]
  readonly loop: LoopState
  /** Calls under each capability of a passport, in this minute, hour and day. */
  readonly rates: RateState
  /** Calls a human approved for the run, and calls one rejected: the newest few, as `grantKey`s. */
  readonly grants: readonly string[]
  readonly refused: readonly string[]
  /** How far the turn at hand was made lighter, or why the run waits for a summary: one of `reliefs`. */
  readonly relieved: number
  /** The weight of the next request; null where the agent does not ask, or nothing was counted yet. */
  readonly room: RoomState | null
  /** Is its thread to have a title when it ends? 0: no. 1: it was made of the words of this run. 2: of those of another. */
  readonly title: number
  /** 1: it is learned from when it has completed. */
  readonly learns: number
  /** The moments that each webhook of the run wants to be told of. */
  readonly webhooks: Wanted
  /** Time in which the run did not wait for a human, up to `since`; milliseconds. */
  readonly activeMs: number
  /** When the run last began to be active; null while it waits, for a human or for its children. */
  readonly since: number | null
  /**
   * While it waits: the moment up to which its children's activity is part of `activeMs`. While it is active: as long before
   * `since` as it waited with children that have not ended; 0 if there is none.
   */
  readonly restedAt: number
  /** The outcome that the run will have once everything open has settled. */
  readonly ending: Outcome | null
}

/** Static: XState re-runs a context factory on every transition. */
export const emptyContext: RunContext = {
  run: '',
  turn: 0,
  retry: 0,
  tries: 0,
  waitedMs: 0,
  model: 0,
  corrections: 0,
  empties: 0,
  continued: 0,
  effects: 0,
  source: 0,
  modelOpen: false,
  policy: 0,
  opened: 0,
  open: {},
  calls: 0,
  tokens: 0,
  cost: 0,
  depth: 0,
  children: 0,
  rerun: false,
  childTurns: 0,
  todosOpen: 0,
  todosReminded: 0,
  unattended: 0,
  skills: [],
  injected: 0,
  told: [],
  loop: emptyLoop,
  rates: noCalls,
  grants: [],
  refused: [],
  relieved: reliefs.none,
  room: null,
  title: 0,
  learns: 0,
  webhooks: [],
  activeMs: 0,
  since: null,
  restedAt: 0,
  ending: null,
}

/** The input of the machine: a fact, together with the definition the run pinned and the run's id. */
export type MachineEvent = {
  [T in Fact['type']]: {
    readonly type: T
    readonly fact: Extract<Fact, { type: T }>
    readonly agent: AgentDefinition
    readonly run: string
    readonly evaluatorOf: (spec: PolicySpec) => PureEvaluator | null
    readonly passports: PassportEvaluator
    /** Takes what a step asks for. */
    readonly ask: (emission: Emission) => void
  }
}[Fact['type']]

/** The input of judging a call, taken from the fact that brings it. */
export const benchOf = (
  { agent, run, evaluatorOf, passports, fact }: MachineEvent,
  caller: FactPayload<'model.completed'>['caller'],
): Bench => ({ agent, run, evaluatorOf, passports, caller, at: fact.at })

/** Does the run share its budget with others: those it has started, or those above it? A rerun counts starts, and starts none. */
export const isShared = ({
  depth,
  children,
  rerun,
}: Pick<RunContext, 'depth' | 'children' | 'rerun'>): boolean =>
  depth > 0 || (children > 0 && !rerun)

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
