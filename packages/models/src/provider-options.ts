/** Options of a call that only its provider knows: defaults of the wiring, the configuration's own, the end user. */
import type { Json, JsonObject, ModelConfig } from '@signalbox/core'
import { isJsonObject } from './json.ts'
import type { Wired } from './providers/wiring.ts'

/** Options by the name of a provider. */
export type Options = Readonly<Record<string, JsonObject>>

/** The options, null if the configuration's are not objects by provider. A value of the configuration always stands. */
export function providerOptions(
  wired: Wired,
  configured: ModelConfig['providerOptions'],
  endUser: string | null,
): Options | null {
  const merged: Record<string, JsonObject> = { ...wired.defaults }
  for (const [key, value] of Object.entries(configured ?? {})) {
    if (!isJsonObject(value)) return null
    merged[key] = { ...merged[key], ...value }
  }
  return wired.endUser && endUser !== null ? withEndUser(merged, wired, endUser) : merged
}

/** The packages read an option under several names of the provider: one under any of them is the user's own. */
function withEndUser(
  options: Options,
  { endUser: path = [], metaKeys }: Wired,
  id: string,
): Options {
  const names = metaKeys.filter((name) => valueAt(options[name], path) !== undefined)
  const name = metaKeys[0]
  if (names.length > 0 || name === undefined) return options
  return { ...options, [name]: withValue(options[name] ?? {}, path, id) }
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? at[key] : undefined), value)
}

function withValue(object: JsonObject, path: readonly string[], id: string): JsonObject {
  const [key, ...rest] = path
  if (key === undefined) return object
  const inner = object[key]
  return {
    ...object,
    [key]: rest.length === 0 ? id : withValue(isJsonObject(inner) ? inner : {}, rest, id),
  }
}
