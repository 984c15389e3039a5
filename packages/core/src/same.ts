/** Equal as JSON values; the order of keys says nothing, jsonb does not keep it. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && same(valueOf(a, key), valueOf(b, key)))
}

const valueOf = (object: object, key: string): unknown => Reflect.get(object, key)
