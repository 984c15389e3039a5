/**
 * The plan that a model keeps for itself: a list of short items with a status each, replaced as a whole by the tool `write_todos`. An agent has
 * it where it names `todo`.
 */
import { z } from 'zod'
import { ToolSpec } from '../definition.ts'
import { JsonObjectSchema } from '../json.ts'
import { limits } from '../limits.ts'

/** An item of the plan. */
export const Todo = z.strictObject({
  text: z.string().trim().min(1).max(limits.todoCharsMax),
  status: z.enum(['pending', 'in_progress', 'completed']),
})
export type Todo = z.infer<typeof Todo>

/** The plan, in the order in which the model wrote it. */
export const Todos = z.array(Todo).max(limits.todosMax)
export type Todos = z.infer<typeof Todos>

const Written = z.strictObject({ todos: Todos })

/** Its name, which is a selector of agents as well. */
export const todoToolName = 'write_todos'

const { $schema: _, ...inputSchema } = z.toJSONSchema(Written, { io: 'input' })

/** What the model is told of the tool. No worker has it: its calls settle in the decision that judges them. */
export const todoTool: ToolSpec = ToolSpec.parse({
  name: todoToolName,
  version: 'here-1',
  description: [
    'Keeps your plan for a task of several steps: replaces the whole list of items.',
    'Write it before you begin, set an item to in_progress when you work on it and to completed as soon as it is done, and add what you find out.',
    'Call it at most once in a turn. Leave it out for a task of one or two steps.',
  ].join(' '),
  inputSchema: JsonObjectSchema.parse(inputSchema),
  effect: 'idempotent',
  settles: 'here',
  queue: 'tools',
  timeoutMs: 1_000,
})

/** Reads the arguments of a call: the plan, or what is wrong with them. */
export function readTodos(
  args: unknown,
): { readonly ok: true; readonly todos: Todos } | { readonly ok: false; readonly message: string } {
  const read = Written.safeParse(args)
  return read.success
    ? { ok: true, todos: read.data.todos }
    : { ok: false, message: z.prettifyError(read.error) }
}
