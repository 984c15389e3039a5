/** The fields that the client of a run gave it, for a call of the run. */
import { factSchemas, type JsonObject, payloadOf } from '@signalbox/core'
import type { EffectRow, Register } from '../ports.ts'
import type { Views } from '../record/view.ts'

/**
 * Null where the agent declares no fields, or the client said nothing in them. Only an agent that declares some costs the read.
 * Rejects with a `NewerError` where that is newer than this build.
 */
export async function fieldsOf(
  { register, views }: { readonly register: Pick<Register, 'events'>; readonly views: Views },
  row: Pick<EffectRow, 'runId' | 'definitionHash'>,
): Promise<JsonObject | null> {
  const { fields } = await views.definition(row.definitionHash)
  if (!fields) return null
  const [first] = await register.events(row.runId, { limit: 1 })
  return first?.salt ? (payloadOf(factSchemas['run.created'], first).fields ?? null) : null
}
