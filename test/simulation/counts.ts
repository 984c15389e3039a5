/** What a seed came to, in numbers: a feature that never shows is a feature that is not tested. */
import type { StoredEvent } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/engine/memory'

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

/** Runs by their outcomes, and events of governance by their types. */
export function countsOf(register: MemoryRegister): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1)
  for (const { outcome } of register.tables.runs.values()) count(outcome ?? 'open')
  for (const { type, verdict } of eventsOf(register)) {
    if (governed.has(type)) count(type)
    if (type === 'approval.answered') count(`${type} ${verdict}`)
  }
  return counts
}
