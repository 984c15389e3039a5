/** The plan of a model in numbers and in words. */
import type { Todos } from './spec.ts'

/** How many items are not completed. */
export const openIn = (todos: Todos): number =>
  todos.filter(({ status }) => status !== 'completed').length

/** `1 item`, `2 items`. */
export const items = (count: number): string => (count === 1 ? '1 item' : `${count} items`)

/** The result of a call, for the model. */
export function writtenText(todos: Todos): string {
  const open = openIn(todos)
  if (todos.length === 0) return 'The list is empty.'
  return open === 0
    ? `The list of ${items(todos.length)} is written. All of it is completed.`
    : `The list of ${items(todos.length)} is written. ${items(open)} of it ${open === 1 ? 'is' : 'are'} open.`
}
