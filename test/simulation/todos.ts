/** The plans of simulated models: some agents have one, and write it in some of their turns, well or badly. */
import { type JsonObject, todoTool, todoToolName } from '@signalbox/core'
import { seeded } from './seeded.ts'

/** Has the agent of this seed a plan? Drawn by itself, so that the other agents of a seed are what they were. */
const isPlanning = (seed: number): boolean => seeded(seed * 43 + 5)() < 0.1

/** Of the definition of an agent. */
export const todoOf = (seed: number) => (isPlanning(seed) ? { todo: true as const } : {})
export const todoTools = (seed: number) => (isPlanning(seed) ? [todoTool] : [])

const statuses = ['pending', 'in_progress', 'completed'] as const

/** The lists that the model writes in a turn: none, one, two of which neither counts, or one that is none. */
export function plannedCalls(
  seed: number,
  turn: number,
): readonly { readonly name: string; readonly args: JsonObject }[] {
  if (!isPlanning(seed)) return []
  const unit = seeded(seed * 1_009 + turn * 7 + 3)
  const pick = unit()
  if (pick < 0.5) return []
  const list = (): JsonObject => ({
    todos: Array.from({ length: Math.floor(unit() * 4) }, (_, n) => ({
      text: `item ${n}`,
      status: statuses[Math.floor(unit() * statuses.length)] ?? 'pending',
    })),
  })
  if (pick < 0.55) return [{ name: todoToolName, args: { todos: 'none' } }]
  const write = () => ({ name: todoToolName, args: list() })
  return pick < 0.6 ? [write(), write()] : [write()]
}
