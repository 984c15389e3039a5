/** Why something cannot be said to a run that has not ended: `input_refusal` of the SQL, and for the same reasons. */
import { factSchemas, limits } from '@signalbox/core'
import type { FactDraft } from '@signalbox/engine'
import type { RunRow, Tables } from './tables.ts'

const Said = factSchemas['input.injected'].pick({ messages: true, bytes: true })

/** `ended`: the run is to end, and nobody would answer. `full`: too much was said to it. Null for every other fact. */
export function inputRefusal(
  tables: Tables,
  run: RunRow,
  fact: FactDraft,
): 'ended' | 'full' | null {
  if (fact.type !== 'input.injected') return null
  if (run.cancelRequested) return 'ended'
  const before = (tables.events.get(run.runId) ?? []).filter(({ type }) => type === fact.type)
  const all = [...before, fact].map(({ payload }) => Said.parse(payload))
  const messages = all.reduce((sum, said) => sum + said.messages.length, 0)
  const bytes = all.reduce((sum, said) => sum + said.bytes, 0)
  return messages > limits.injectedMessagesMax || bytes > limits.injectedBytesMax ? 'full' : null
}
