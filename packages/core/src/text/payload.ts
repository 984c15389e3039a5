/** Reads payloads of events, which are whatever the register holds: nothing here trusts their shape. */

/** A value within a payload; undefined if it is not there. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const key of path)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined
  return found
}

/** The same as a text: of a text, a number or a flag; empty for everything else. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : ''
}

/** The same as a list; empty for everything else. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
