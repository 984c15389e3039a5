/**
 * Titles of threads: the decision that ends a run asks for one, where `run.created` says that its thread is to have one.
 *
 * N1 A model is asked only after a run that completed. Of what ended by safety, by a refusal or by a guardrail nothing is told: not even
 *    the words that the run began with.
 * N2 It is asked for once: by the decision that ends the run, whatever the thread is called by then. Who makes it looks again.
 */
import type { AgentDefinition } from '../definition.ts'
import type { TitleEffect } from '../effect.ts'
import type { FactPayload } from '../event/fact.ts'
import type { Outcome } from '../outcome.ts'
import { isFinal, type RunState } from '../state.ts'
import { effectId, type RunContext } from './context.ts'

const marks = { made: 1, open: 2 } as const

/** The number by which a context keeps the field `title` of `run.created`. */
export const titleMark = (said: FactPayload<'run.created'>['title']): number =>
  said === undefined ? 0 : marks[said]

/** Ends of which nothing is told. */
const untold: readonly Outcome[] = ['safety_stopped', 'refused', 'guardrail_stopped']

function makeOf(
  { title: config }: AgentDefinition,
  { title, ending }: RunContext,
): TitleEffect['make'] | null {
  if (title === 0 || config === undefined) return null
  const isOwn = title === marks.made
  const outcome = ending ?? 'completed'
  if (untold.includes(outcome)) return isOwn ? 'untitled' : null
  if (outcome !== 'completed') return null
  if (config !== 'words') return 'model'
  return isOwn ? null : 'words'
}

/** The title to make for a run that has ended, and the context that has counted it. */
export function entitle(
  agent: AgentDefinition,
  ended: RunState,
): { readonly context: RunContext; readonly effects: readonly TitleEffect[] } {
  const { context } = ended
  const make = isFinal(ended) ? makeOf(agent, context) : null
  if (make === null) return { context, effects: [] }
  const effects = context.effects + 1
  const effect: TitleEffect = {
    kind: 'title.make',
    id: effectId(context.run, effects),
    mode: 'idempotent',
    queue: 'title',
    delayMs: 0,
    make,
  }
  return { context: { ...context, effects }, effects: [effect] }
}
