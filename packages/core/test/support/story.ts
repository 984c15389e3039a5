/**
 * Given, when, then, over events: `given(agent, ...facts)` decides fact by fact, `when(...facts)` decides over its facts
 * at once, `gives` says everything that decision was: what is not named did not happen. (An object with a `then` would
 * be a promise.)
 */
import { expect } from 'vitest'
import {
  type AgentDefinition,
  callIdPrefix,
  type Decision,
  decide,
  type Effect,
  type Fact,
  type FoldableEvent,
  type JsonObject,
  noPassports,
  type Outcome,
  type PolicyRequest,
  project,
  type PureEvaluator,
  type RunState,
  type RunStatus,
  type StateName,
  type Subject,
  type Verdict,
} from '../../src/index.ts'
import { callId, type Move, run } from './facts.ts'
import { promptOf } from './prompt.ts'
import { machine, fresh } from './machine.ts'

export interface Expected {
  readonly state: StateName
  readonly status?: RunStatus
  readonly outcome?: Outcome
  readonly path?: readonly StateName[]
  /** `1 model.call`, `2 tool.call search`, `3 model.call after 1000`, `4 run.start task shared`. */
  readonly effects?: readonly string[]
  /** Type, verdict and tool: `call.denied denied rm`. */
  readonly verdicts?: readonly string[]
  /** Numbers of effects that run again. */
  readonly retries?: readonly number[]
  /** The timeout, in milliseconds from now. */
  readonly timeout?: number | 'cleared'
}

export interface Story {
  /** The clock goes on before the next fact. */
  after(ms: number): Story
  when(...moves: readonly Move[]): { gives(expected: Expected): Story }
  /** As `when`, without saying what came of it. */
  and(...moves: readonly Move[]): Story
  readonly decision: Decision
  readonly state: RunState
  /** Every verdict so far. */
  readonly verdicts: readonly Verdict[]
  /** What the model would read now, or once `later` happened; without the agent's instructions. */
  prompt(...later: readonly FoldableEvent[]): readonly string[]
  /** The arguments of the nth call of the turn at hand, as the model reads them. */
  shown(n: number): JsonObject | undefined
  /** All events but `run.transitioned`, as a register keeps them. */
  readonly log: readonly FoldableEvent[]
}

interface Played {
  readonly subject: Subject
  readonly now: number
  readonly seq: number
  readonly decision: Decision
  readonly effects: readonly Effect[]
  readonly verdicts: readonly Verdict[]
  readonly expiries: ReadonlySet<string>
  readonly log: readonly FoldableEvent[]
}

const start = 1_700_000_000_000

export const given = (agent: AgentDefinition, ...moves: readonly Move[]): Story =>
  begin({ run, agent, machine }, moves)

/** As `given`, with an evaluator for pure policies that the core cannot evaluate itself. */
export const givenWith = (
  evaluator: PureEvaluator,
  agent: AgentDefinition,
  ...moves: readonly Move[]
): Story => begin({ run, agent, machine, evaluatorOf: () => evaluator }, moves)

/** As `given`, with an audit of scripts that answers by function. */
export const givenAudited = (
  audit: PureEvaluator,
  agent: AgentDefinition,
  ...moves: readonly Move[]
): Story => {
  const passports = {
    ...noPassports,
    audit: (_spec: unknown, request: PolicyRequest) => audit(request),
  }
  return begin({ run, agent, machine, passports }, moves)
}

function begin(subject: Subject, moves: readonly Move[]): Story {
  const decision = decide(subject, fresh, [])
  const nothing = { subject, now: start, seq: 0, decision, effects: [], verdicts: [] }
  const empty = { ...nothing, expiries: new Set<string>(), log: [] }
  return moves.reduce((story, move) => story.and(move), storyOf(empty))
}

function storyOf(played: Played): Story {
  return {
    decision: played.decision,
    state: played.decision.state,
    verdicts: played.verdicts,
    log: played.log,
    prompt: (...later) => promptOf([...played.log, ...later]),
    shown: (n) => {
      const id = callId({ run, state: played.decision.state }, n)
      const parts = project('', played.log).flatMap((message) =>
        message.role === 'assistant' ? message.parts : [],
      )
      const call = parts.find((part) => part.type === 'tool_call' && part.id === id)
      return call?.type === 'tool_call' ? call.args : undefined
    },
    after: (ms) => storyOf({ ...played, now: played.now + ms }),
    and: (...moves) => storyOf(play(played, moves)),
    when: (...moves) => {
      const next = play(played, moves)
      return {
        gives: (expected) => {
          expect(summary(next.decision)).toEqual({ ...nothing(next.decision), ...expected })
          expect([...next.expiries].toSorted()).toEqual(askedIn(next.decision.state).toSorted())
          return storyOf(next)
        },
      }
    },
  }
}

function play(played: Played, moves: readonly Move[]): Played {
  const { subject, now, seq, decision, effects, verdicts, log } = played
  const known = { run, state: decision.state, effects, verdicts }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a move pairs type and payload
  const facts = moves.map((move, n) => ({
    seq: seq + n + 1,
    at: now,
    actor: 't',
    ...move(known),
  })) as Fact[]
  const next = decide(subject, decision.state, facts)
  const told = next.verdicts.map(({ type, payload }) => ({ type, payload }))
  return {
    ...played,
    seq: seq + facts.length,
    decision: next,
    effects: [...effects, ...next.effects],
    verdicts: [...verdicts, ...next.verdicts],
    expiries: expiriesOf(played.expiries, facts, next),
    log: [...log, ...[...facts, ...told].map((each) => stored(each, now))],
  }
}

/** Through JSON, as a register keeps it. */
const stored = (
  { type, payload }: { readonly type: string; readonly payload: object },
  at: number,
): FoldableEvent => ({
  seq: 1,
  type,
  version: 1,
  at,
  actor: 't',
  payload: JSON.parse(JSON.stringify(payload)),
})

function expiriesOf(
  before: ReadonlySet<string>,
  facts: readonly Fact[],
  decision: Decision,
): ReadonlySet<string> {
  const after = new Set(before)
  for (const fact of facts) if (fact.type === 'timer.fired') after.delete(fact.payload.timerId)
  for (const id of decision.clearTimers) after.delete(id)
  for (const { id } of decision.timers) if (/^(?:approval|input):/.test(id)) after.add(id)
  return after
}

/** The timers that the calls which wait for a human should have: fired ones are gone, too. */
const askedIn = ({ context }: RunState): readonly string[] =>
  Object.entries(context.open).flatMap(([index, { status }]) => {
    const asked = `${callIdPrefix(context.run, context.turn)}_${index}`
    if (status === 'asked') return [`approval:${asked}`]
    return status === 'question' ? [`input:${asked}`] : []
  })

/** What a decision is that asks for nothing; status and path only count where they are named. */
const nothing = (decision: Decision): Expected => ({
  state: decision.state.name,
  status: decision.status,
  path: decision.path,
  effects: [],
  verdicts: [],
  retries: [],
})

const number = (id: string): number => Number(id.slice(run.length + 1))

function summary(decision: Decision): Expected {
  const timer = decision.timers.find(({ id }) => id === 'timeout')
  return {
    state: decision.state.name,
    status: decision.status,
    path: decision.path,
    effects: decision.effects.map(effectText),
    verdicts: decision.verdicts.map((each) =>
      [each.type, each.verdict, each.tool].filter(Boolean).join(' '),
    ),
    retries: decision.retries.map(number),
    ...(decision.outcome ? { outcome: decision.outcome } : {}),
    ...(timer ? { timeout: timer.afterMs } : {}),
    ...(decision.clearTimers.includes('timeout') ? { timeout: 'cleared' } : {}),
  }
}

const effectText = (effect: Effect): string =>
  [
    number(effect.id),
    effect.kind,
    ...('callId' in effect ? [effect.tool] : []),
    ...('shared' in effect ? ['shared'] : []),
    ...(effect.delayMs > 0 ? [`after ${effect.delayMs}`] : []),
  ].join(' ')
