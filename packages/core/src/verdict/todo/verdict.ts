/**
 * Todos: is the model to be reminded of its plan? Evidence in (the counts of the newest list, the answer at hand, the budgets), verdict out.
 *
 * T1 A list is in the log, never in the state of a run: the state counts.
 * T2 A reminder follows an answer by which the run would have completed, and nothing else: no stop of safety, of a guardrail, of a loop or of a
 *    budget, no refusal, no cut answer and no cancel is gone on from because of a plan.
 */
import type { AgentDefinition } from '../../definition.ts'
import { limits } from '../../limits.ts'
import type { ModelTurn } from '../../turn.ts'
import { type Spent, turnBudget } from '../budget/verdict.ts'
import { isVisible } from '../safety/explain.ts'
import type { Todos } from './spec.ts'

/** The plan of a run as its state knows it. */
export interface TodoCounts {
  /** Items that are not completed. */
  readonly todosOpen: number
  /** Reminders so far. */
  readonly todosReminded: number
}

export const openIn = (todos: Todos): number =>
  todos.filter(({ status }) => status !== 'completed').length

/** Is the model told of what is open, in one more turn? */
export const isReminded = (
  agent: AgentDefinition,
  counts: TodoCounts & Spent,
  turn: ModelTurn,
): boolean =>
  counts.todosOpen > 0 &&
  counts.todosReminded < limits.todoRemindersMax &&
  isVisible(turn) &&
  turnBudget(agent, counts) === null

const items = (count: number): string => (count === 1 ? '1 item' : `${count} items`)

/** The result of a call, for the model. */
export function writtenText(todos: Todos): string {
  const open = openIn(todos)
  if (todos.length === 0) return 'The list is empty.'
  return open === 0
    ? `The list of ${items(todos.length)} is written. All of it is completed.`
    : `The list of ${items(todos.length)} is written. ${items(open)} of it ${open === 1 ? 'is' : 'are'} open.`
}

/** The words of a reminder, for the model. */
export const reminderText = (open: number): string =>
  `[TODO] Your list has ${items(open)} that ${open === 1 ? 'is' : 'are'} not completed. Go on with the task. If nothing is left to do, or it cannot be done, write the list as it is now with \`write_todos\`, and say so in your answer.`
