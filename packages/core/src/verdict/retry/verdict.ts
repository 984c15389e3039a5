/**
 * Retry: what follows a turn that gave no usable answer? Nothing of such a turn was executed, so asking again is safe; a
 * safety stop is never asked again, of no model. One loop for all of it, and each attempt is an effect of its own.
 *
 * A1 A retry waits: decorrelated jitter between `baseMs` and `capMs`, from the chance in the fact; never shorter than
 *    what the provider asked for, which also goes beyond the cap.
 * A2 A fallback model is asked when the retries are used up, or the model will not serve us whatever we do.
 * A3 A stream that broke off, or reached its length, and has said something, may be gone on with in another turn, as often
 *    as the agent allows; one that broke off only when nobody is left to ask for the whole.
 * A4 Corrections count on their own: `maxGuardrailRetries` is the number of attempts after the first.
 * A5 A request that overflowed, or whose images were refused, is made lighter once per turn before another model is asked (`context/verdict.ts`).
 */
import type { AgentDefinition } from '../../definition.ts'
import type { FactPayload } from '../../event/fact.ts'
import type { ModelErrorClass, ModelFailure, ModelTurn, Trip } from '../../turn.ts'
import { modelOf } from '../../asked-model.ts'
import { type Compaction, type Pruning, reliefOf, type Relieved } from '../context/verdict.ts'
import { isVisible } from '../safety/explain.ts'
import { failureOf } from '../safety/failure.ts'

/** The attempts that a run has behind it: part of its context, where each field is explained. */
export interface Tried extends Relieved {
  readonly tries: number
  readonly waitedMs: number
  readonly model: number
  readonly corrections: number
  readonly empties: number
  readonly continued: number
  readonly calls: number
}

/** The step that follows instead of taking the turn as it is. */
export type NextTry =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly why: Why }
  | {
      readonly kind: 'fallback'
      readonly model: number
      readonly why: Why
      /** Images of the request. */
      readonly images: number
    }
  | { readonly kind: 'correct'; readonly trip: Trip }
  | { readonly kind: 'empty' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'relieve'; readonly pruning: Pruning; readonly window: number }
  | { readonly kind: 'compact'; readonly compaction: Compaction; readonly window: number }

interface Why {
  readonly class: string
  readonly message: string
  readonly error?: ModelFailure
}

/** Classes in which the model that failed will fail again, but another one need not. */
const elsewhere: readonly ModelErrorClass[] = [
  'rate_limit',
  'quota',
  'overloaded',
  'network',
  'context_overflow',
  'tool_use_failed',
  'auth',
  'circuit_open',
]

/** The part of an answer that says what follows. */
type Answer = Pick<FactPayload<'model.completed'>, 'turn' | 'chance' | 'room' | 'images'>

/** The step that follows the turn; null: the turn stands, for good or ill. */
export function againOf(
  agent: AgentDefinition,
  tried: Tried,
  { turn, chance, room, images = 0 }: Answer,
): NextTry | null {
  switch (turn.verdict) {
    case 'error':
    case 'interrupted':
      return (
        relievedOf(agent, tried, { turn, room }) ??
        retryOf(agent, tried, { turn, chance: chance ?? 0 }) ??
        fallbackOf(agent, tried, { turn, images }) ??
        continuationOf(agent, tried, turn)
      )
    case 'guardrail':
      return correctionOf(agent, tried, turn)
    case 'length':
      return continuationOf(agent, tried, turn)
    case 'complete':
      return isMissing(tried, turn) && tried.empties === 0 ? { kind: 'empty' } : null
    default:
      return null
  }
}

function relievedOf(
  agent: AgentDefinition,
  tried: Tried,
  overflow: Pick<FactPayload<'model.completed'>, 'turn' | 'room'>,
): NextTry | null {
  const model = modelOf(agent, tried.model)
  const relief = reliefOf(agent, model, { run: tried, overflow })
  if (!relief) return null
  const { pruning, compaction, window } = relief
  if (pruning) return { kind: 'relieve', pruning, window }
  return compaction && { kind: 'compact', compaction, window }
}

function retryOf(
  agent: AgentDefinition,
  tried: Tried,
  { turn, chance }: { readonly turn: ModelTurn; readonly chance: number },
): NextTry | null {
  if (turn.error && !turn.error.retryable) return null
  const { max, baseMs, capMs } = agent.modelRetries
  if (tried.tries >= (isBurst(turn) ? Math.min(max, burstRetriesMax) : max)) return null
  const most = Math.min(capMs, Math.max(baseMs, 3 * tried.waitedMs))
  const jittered = Math.round(baseMs + chance * Math.max(0, most - baseMs))
  return {
    kind: 'retry',
    delayMs: Math.max(Math.min(jittered, capMs), turn.error?.retryAfterMs ?? 0),
    why: whyOf(turn),
  }
}

/** Too many calls at once, in the words of those who say so: asking often makes it worse. */
const burstCodes: readonly (string | undefined)[] = ['limit_burst_rate', 'Throttling.BurstRate']
const burstRetriesMax = 1
const isBurst = ({ error }: ModelTurn): boolean =>
  error !== undefined && burstCodes.includes(error.code)

function fallbackOf(
  agent: AgentDefinition,
  tried: Tried,
  { turn, images }: { readonly turn: ModelTurn; readonly images: number },
): NextTry | null {
  const model = tried.model + 1
  if (model > agent.fallbackModels.length) return null
  const known = turn.error?.class ?? 'network'
  return elsewhere.includes(known) ? { kind: 'fallback', model, why: whyOf(turn), images } : null
}

function continuationOf(agent: AgentDefinition, tried: Tried, turn: ModelTurn): NextTry | null {
  if (turn.verdict !== 'length' && turn.verdict !== 'interrupted') return null
  const says = isVisible(turn) || (agent.continueCutCalls && isCutInCall(turn))
  return tried.continued < agent.continuations && says ? { kind: 'continue' } : null
}

/** Did the answer reach its length in the middle of a call? */
export const isCutInCall = ({ verdict, suppressed }: ModelTurn): boolean =>
  verdict === 'length' && suppressed.length > 0

function correctionOf(agent: AgentDefinition, tried: Tried, turn: ModelTurn): NextTry | null {
  const { trip } = turn
  if (trip?.outcome !== 'fail') return null
  return tried.corrections < agent.guardrails.maxGuardrailRetries ? { kind: 'correct', trip } : null
}

/** An answer that says nothing and asks for nothing, although tools have answered. */
export const isMissing = (tried: Pick<Tried, 'calls'>, turn: ModelTurn): boolean =>
  turn.verdict === 'complete' &&
  tried.calls > 0 &&
  !isVisible(turn) &&
  !turn.message.parts.some((part) => part.type === 'tool_call')

function whyOf(turn: ModelTurn): Why {
  const error = failureOf(turn)
  return {
    class: turn.error?.class ?? 'network',
    message: turn.error?.message ?? 'the stream ended without a completion signal',
    ...(error ? { error } : {}),
  }
}
