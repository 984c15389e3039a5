/**
 * Learning from a run: the decision that ends it asks for that, where `run.created` says that it may be learned from.
 *
 * L1 Only after a run that completed (C7). What was refused, stopped, cancelled or taken back asks for nothing.
 * L2 It is asked for once. Whoever performs it looks again at whether anything is to be learned.
 */
import type { AgentDefinition } from '../definition.ts'
import type { MemoryEffect } from '../effect.ts'
import type { FactPayload } from '../event/fact.ts'
import { isFinal, type RunState } from '../state.ts'
import { effectId, type RunContext } from './context.ts'

/** May a run that begins so be learned from? Counted, as the state of a run keeps it. */
export const learnMark = (created: FactPayload<'run.created'> | null): number =>
  created?.memory?.learn === true && !created.parent && !created.rerun ? 1 : 0

/** The learning to begin after a run that has ended, and the context that has counted it. */
export function learnFrom(
  { memory }: AgentDefinition,
  ended: RunState,
): { readonly context: RunContext; readonly effects: readonly MemoryEffect[] } {
  const { context } = ended
  const isCompleted = isFinal(ended) && (context.ending ?? 'completed') === 'completed'
  if (!memory?.learn || context.learns === 0 || !isCompleted) return { context, effects: [] }
  const effects = context.effects + 1
  const effect: MemoryEffect = {
    kind: 'memory.learn',
    id: effectId(context.run, effects),
    mode: 'idempotent',
    queue: 'memory',
    delayMs: memory.delayMs,
  }
  return { context: { ...context, effects }, effects: [effect] }
}
