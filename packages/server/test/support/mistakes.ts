/** What a configuration is refused with. */
import { ConfigError } from '@signalbox/server'

/** A copy with the value at the path; what is missing on the way is made. */
export function changed(
  from: unknown,
  [key, ...path]: readonly (string | number)[],
  value: unknown,
): unknown {
  if (key === undefined) return value
  const inner: unknown = typeof from === 'object' && from ? Reflect.get(from, key) : undefined
  const copy = Array.isArray(from) ? [...from] : { ...Object(from) }
  copy[key] = changed(inner ?? {}, path, value)
  return copy
}

/** The error of a run that must fail with a ConfigError. */
export async function configErrorOf(run: () => unknown): Promise<ConfigError> {
  try {
    await run()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('nothing was wrong')
}
