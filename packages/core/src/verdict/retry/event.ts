/** The events of attempts that are not the last. */
import type { AgentDefinition } from '../../definition.ts'
import type { Verdict } from '../../event/decision.ts'
import type { ModelTurn } from '../../turn.ts'
import { contextPruned } from '../context/event.ts'
import { modelOf, seesImages } from '../../asked-model.ts'
import { type NextTry, isCutInCall, type Tried } from './verdict.ts'

/** The words that the model reads after a turn that was continued. */
const goOnText = (agent: AgentDefinition, turn: ModelTurn): string =>
  agent.continueCutCalls && isCutInCall(turn) ? cutCallText(turn) : goOnFrom(turn)

const cutCallText = ({ suppressed }: ModelTurn): string =>
  `Your answer was cut off at its length limit in the middle of a call of ${toolsOf(suppressed)}. ` +
  'Nothing of it was executed, and nothing of it was kept. Do it in smaller pieces: several calls with less content each, ' +
  'for example a file in parts.'

const toolsOf = (calls: ModelTurn['suppressed']): string =>
  [...new Set(calls.map(({ name }) => name))].join(', ')

const goOnFrom = ({ verdict }: ModelTurn): string =>
  verdict === 'length'
    ? 'Your answer was cut off at its length limit. Go on exactly where it ended.'
    : 'Your answer was cut off when the connection broke. Go on exactly where it ended.'
/** The words that the model reads after an answer that said nothing. */
const emptyText = 'Your last answer was empty. Answer the user now, using the results of the tools.'

/** The images that the n-th model of an agent is not shown: none, or all of them. */
export const unseenBy = (
  agent: AgentDefinition,
  { model, images }: { readonly model: number; readonly images: number },
): { readonly images?: number } => (images === 0 || seesImages(agent, model) ? {} : { images })

/** A try that an event of its own tells of. A compaction is told by the fact that ends it. */
type Recorded = Exclude<NextTry, { readonly kind: 'compact' }>

/** The event of what follows `turn`; `tried` ends with the attempt that is not kept. */
export function againVerdict(
  agent: AgentDefinition,
  tried: Pick<Tried, 'model' | 'corrections'> & { readonly turn: number; readonly retry: number },
  { again, turn }: { readonly again: Recorded; readonly turn: ModelTurn },
): Verdict {
  const about = { turn: tried.turn, retry: tried.retry + 1 }
  const messageId = turn.message.id
  switch (again.kind) {
    case 'retry': {
      const payload = { ...about, ...again.why, delayMs: again.delayMs }
      return { type: 'model.retried', payload, tool: null, verdict: again.why.class }
    }
    case 'fallback': {
      const [from, to] = [modelOf(agent, tried.model).model, modelOf(agent, again.model).model]
      const payload = { turn: tried.turn, from, to, ...again.why, ...unseenBy(agent, again) }
      return { type: 'model.replaced', payload, tool: null, verdict: again.why.class }
    }
    case 'empty': {
      const payload = { ...about, class: 'empty_answer', message: emptyText, delayMs: 0 }
      return { type: 'model.retried', payload, tool: null, verdict: 'empty_answer' }
    }
    case 'continue': {
      const payload = { turn: tried.turn, messageId, text: goOnText(agent, turn) }
      return { type: 'turn.continued', payload, tool: null, verdict: turn.verdict }
    }
    case 'relieve':
      return contextPruned(tried.turn, again.pruning)
    case 'correct': {
      const correction = tried.corrections + 1
      const { trip } = again
      const payload = { turn: tried.turn, correction, messageId, trip, calls: turn.suppressed }
      return { type: 'guardrail.tripped', payload, tool: null, verdict: trip.guardrail.id }
    }
  }
}
