/**
 * The plan of the model at each step of a thread: the newest list of its lineage, so that a fork has that of its moment, and a run that was rolled
 * back has left none.
 */
import { decisionSchemas, type Todos } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { z } from '@hono/zod-openapi'
import { checkpointId } from './checkpoint.ts'
import type { StepHead } from './state-steps.ts'

/** The plan in the shape of deepagents; absent where no model has written one. */
export const planFields = {
  todos: z
    .array(
      z.object({
        content: z.string(),
        status: z.enum(['pending', 'in_progress', 'completed']),
      }),
    )
    .optional(),
}

/** The same of a plan. */
export const planValues = (todos: Todos | null) =>
  todos ? { todos: todos.map(({ text: content, status }) => ({ content, status })) } : {}

/** By the ids of steps. `heads`: all steps of the events, oldest first. */
export function plansOf(
  events: readonly StoredEvent[],
  heads: readonly StepHead[],
): ReadonlyMap<string, Todos> {
  const written = writtenAt(events)
  const plans = new Map<string, Todos>()
  for (const { id, parentId } of heads) {
    const todos = written.get(id) ?? (parentId === null ? undefined : plans.get(parentId))
    if (todos) plans.set(id, todos)
  }
  return plans
}

/** By the step whose decision wrote it: what follows a decision up to the next one of its run is part of it. */
function writtenAt(events: readonly StoredEvent[]): ReadonlyMap<string, Todos> {
  const steps = new Map<string, string>()
  const written = new Map<string, Todos>()
  for (const { runId, seq, type, salt, payload } of events) {
    if (salt === '') continue
    if (type === 'run.transitioned') steps.set(runId, checkpointId(runId, seq))
    const step = steps.get(runId)
    if (type === 'todo.written' && step !== undefined)
      written.set(step, decisionSchemas['todo.written'].parse(payload).todos)
  }
  return written
}
