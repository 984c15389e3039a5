/** The events of a plan: what was written, and that the model was reminded of it. */
import type { Verdict } from '../../event/decision.ts'
import { type Todos, todoToolName } from '../../todo/spec.ts'
import { openIn } from '../../todo/words.ts'
import { reminderText } from './verdict.ts'

/** `todo.written`: the result of the call is made of it. */
export const todoWritten = (callId: string, turn: number, todos: Todos): Verdict => ({
  type: 'todo.written',
  payload: { callId, turn, todos: [...todos], open: openIn(todos) },
  tool: todoToolName,
  verdict: 'written',
})

/** `todo.reminded`: the model reads `text` behind everything else. */
export const todoReminded = (turn: number, nth: number, open: number): Verdict => ({
  type: 'todo.reminded',
  payload: { turn, nth, open, text: reminderText(open) },
  tool: null,
  verdict: 'reminded',
})
