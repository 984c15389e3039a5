/**
 * Todos: is the model to be reminded of its plan? Evidence in (the counts of the newest list, the budgets), verdict out.
 *
 * T1 A list is in the log, never in the state of a run: the state counts.
 * T2 A reminder follows an answer by which the run would have completed, and nothing else: no stop of safety, of a guardrail, of a loop or of a
 *    budget, no refusal, no cut answer and no cancel is gone on from because of a plan.
 */
import type { AgentDefinition } from '../../definition.ts'
import { limits } from '../../limits.ts'
import { items } from '../../todo/words.ts'
import { type Spent, turnBudget } from '../budget/verdict.ts'

/** The plan of a run as its state knows it. */
export interface TodoCounts {
  /** Items that are not completed. */
  readonly todosOpen: number
  /** Reminders so far. */
  readonly todosReminded: number
}

/** Is the model told of what is open, in one more turn? An answer that says nothing has ended the run before. */
export const isReminded = (agent: AgentDefinition, counts: TodoCounts & Spent): boolean =>
  counts.todosOpen > 0 &&
  counts.todosReminded < limits.todoRemindersMax &&
  turnBudget(agent, counts) === null

/** The words of a reminder, for the model. */
export const reminderText = (open: number): string =>
  `[TODO] Your list has ${items(open)} that ${open === 1 ? 'is' : 'are'} not completed. Go on with the task. If nothing is left to do, or it cannot be done, write the list as it is now with \`write_todos\`, and say so in your answer.`
