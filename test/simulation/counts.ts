/** What a seed came to, in numbers: a feature that never shows is a feature that is not tested. */
import { decisionSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/engine/memory'
import { parentOf } from '../invariants/run-record.ts'

/** Every event of every run. */
export const eventsOf = ({ tables }: MemoryRegister): readonly StoredEvent[] =>
  [...tables.events.values()].flat()

const governed = new Set([
  'answer.missing',
  'approval.expired',
  'approval.requested',
  'approval.reused',
  'budget.warned',
  'guardrail.tripped',
  'model.replaced',
  'policy.answered',
  'policy.faulted',
  'tool.denied',
  'turn.continued',
])

/** Counted by their verdicts. */
const told = new Set(['approval.answered', 'budget.refused', 'child.ended'])

/** What ten thousand seeds must have shown, at the least: what is rare, and trees of runs. */
export const expected = [
  'answer.missing',
  'budget.refused calls',
  'budget.refused money',
  'budget.refused tokens',
  'budget.refused turns',
  'cancelled by parent',
  'child.ended budget_exhausted',
  'child.ended cancelled',
  'child.ended completed',
  'child.ended failed',
  'child.ended timed_out',
  'denied too_deep',
  'tree 3 deep',
] as const

/** Runs by their outcomes, and events of governance by their types. */
export function countsOf(register: MemoryRegister): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1)
  const depths = new Set<number>()
  for (const run of register.tables.runs.values()) {
    count(run.outcome ?? 'open')
    const log = register.tables.events.get(run.runId) ?? []
    depths.add(parentOf({ log })?.depth ?? 0)
  }
  // Seeds, not runs: how many have a tree that is so deep.
  for (const depth of depths) if (depth > 0) count(`tree ${depth} deep`)
  for (const { type, verdict, payload } of eventsOf(register)) {
    if (governed.has(type)) count(type)
    if (told.has(type)) count(`${type} ${verdict}`)
    if (type === 'call.denied') count(`denied ${decisionSchemas[type].parse(payload).code}`)
    if (type === 'cancel.requested' && payload['reason'] === 'parent') count('cancelled by parent')
  }
  return counts
}
