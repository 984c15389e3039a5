/** A definition as it is stored: a newer build may have written what this one does not know. */
import type { JsonObject } from '@signalbox/core'
import { type CompiledQuery, sql } from 'kysely'
import { compile } from '../query.ts'

/** A definition that runs of a tenant have used. */
export interface UsedDefinition {
  readonly body: JsonObject
  /** Milliseconds since the epoch. */
  readonly firstUsedAt: number
}

/** No row for a definition that no run of the tenant has used. */
export const usedDefinitionQuery = (
  tenantId: string,
  hash: string,
): CompiledQuery<UsedDefinition> =>
  compile(sql<UsedDefinition>`
    select body, signalbox.to_ms(first_used_at)::float8 as "firstUsedAt"
    from signalbox.used_definition(${tenantId}, ${hash})`)
