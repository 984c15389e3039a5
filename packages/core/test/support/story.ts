/**
 * Given, when, then, over events: `given(agent, ...facts)` decides fact by fact, `when(...facts)` decides over its facts
 * at once, `gives` says everything that decision was: what is not named did not happen. (An object with a `then` would
 * be a promise.)
 */
import { expect } from 'vitest'
import {
  type AgentDefinition,
  type Decision,
  decide,
  type Effect,
  type Fact,
  initialState,
  type Outcome,
  type RunState,
  type RunStatus,
  type StateName,
  type Verdict,
} from '../../src/index.ts'
import { type Move, run } from './facts.ts'

export interface Expected {
  readonly state: StateName
  readonly status?: RunStatus
  readonly outcome?: Outcome
  readonly path?: readonly StateName[]
  /** `1 model.call`, `2 tool.call search`, `3 model.call after 1000`. */
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
}

interface Played {
  readonly agent: AgentDefinition
  readonly now: number
  readonly seq: number
  readonly decision: Decision
  readonly effects: readonly Effect[]
  readonly verdicts: readonly Verdict[]
}

const start = 1_700_000_000_000

export function given(agent: AgentDefinition, ...moves: readonly Move[]): Story {
  const decision = decide({ run, agent }, initialState, [])
  const nothing = { agent, now: start, seq: 0, decision, effects: [], verdicts: [] }
  return moves.reduce((story, move) => story.and(move), storyOf(nothing))
}

function storyOf(played: Played): Story {
  return {
    decision: played.decision,
    state: played.decision.state,
    verdicts: played.verdicts,
    after: (ms) => storyOf({ ...played, now: played.now + ms }),
    and: (...moves) => storyOf(play(played, moves)),
    when: (...moves) => {
      const next = play(played, moves)
      return {
        gives: (expected) => {
          expect(summary(next.decision)).toEqual({ ...nothing(next.decision), ...expected })
          return storyOf(next)
        },
      }
    },
  }
}

function play(played: Played, moves: readonly Move[]): Played {
  const { agent, now, seq, decision, effects, verdicts } = played
  const known = { run, state: decision.state, effects }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a move pairs type and payload
  const facts = moves.map((move, n) => ({
    seq: seq + n + 1,
    at: now,
    actor: 't',
    ...move(known),
  })) as Fact[]
  const next = decide({ run, agent }, decision.state, facts)
  return {
    ...played,
    seq: seq + facts.length,
    decision: next,
    effects: [...effects, ...next.effects],
    verdicts: [...verdicts, ...next.verdicts],
  }
}

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
  const [timer] = decision.timers
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
    ...(decision.clearTimers.length > 0 ? { timeout: 'cleared' } : {}),
  }
}

const effectText = (effect: Effect): string =>
  [
    number(effect.id),
    effect.kind,
    ...(effect.kind === 'tool.call' ? [effect.tool] : []),
    ...(effect.delayMs > 0 ? [`after ${effect.delayMs}`] : []),
  ].join(' ')
