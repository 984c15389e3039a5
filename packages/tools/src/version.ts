import { createHash } from 'node:crypto'
import type { EffectMode, JsonObject } from '@signalbox/core'
import canonicalize from 'canonicalize'

/** The version of a tool: a hash of what it promises. A worker that holds another version leaves the call alone. */
export function toolVersion(promise: {
  readonly name: string
  readonly inputSchema: JsonObject
  readonly effect: EffectMode
}): string {
  const canonical = canonicalize([promise.name, promise.inputSchema, promise.effect]) ?? ''
  return createHash('sha256').update(canonical).digest('hex').slice(0, 16)
}
