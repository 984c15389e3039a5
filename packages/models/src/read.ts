/**
 * Reading JSON that a provider sent: nothing about its shape is trusted, a field of another type is an absent field.
 */

/** An object whose fields are not known. */
export type Fields = Readonly<Record<string, unknown>>

/** The value as an object; undefined for arrays, null and everything else. */
export function fields(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined
}

/** The elements of an array; none for everything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text that is not empty, or a number as text: error codes come as both. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' ? String(value) : undefined
}

/** JSON text as a value; undefined if it is none. Never repairs. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
