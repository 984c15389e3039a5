/** Are arguments what a test expects? */
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@signalbox/core'

/**
 * The expected arguments of a call. In an object each key is compared and others may stand beside it; lists are compared item by item; a regular
 * expression matches a text; an asymmetric matcher of vitest or jest is asked; a function answers true for what it accepts, or asserts by
 * itself. Everything else is equal or it is not.
 */
export type ArgsMatcher =
  | { readonly [key: string]: unknown }
  | ((args: JsonObject) => boolean | void)

/** The first difference, as `path: expected …, got …`; null: there is none. */
export function difference(expected: ArgsMatcher, args: JsonObject): string | null {
  if (typeof expected !== 'function') return differenceAt('', expected, args)
  try {
    return expected(args) === false ? 'the matcher does not accept them' : null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function differenceAt(path: string, expected: unknown, actual: unknown): string | null {
  const differs = () =>
    `${path === '' ? 'arguments' : path}: expected ${shown(expected)}, got ${shown(actual)}`
  if (expected instanceof RegExp)
    return typeof actual === 'string' && new RegExp(expected.source, expected.flags).test(actual)
      ? null
      : differs()
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual) ? null : differs()
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return differs()
    return first(expected.map((each, n) => differenceAt(`${path}[${n}]`, each, actual[n])))
  }
  if (isPlain(expected)) {
    if (!isPlain(actual)) return differs()
    const keys = Object.keys(expected)
    return first(
      keys.map((key) =>
        differenceAt(
          path === '' ? key : `${path}.${key}`,
          Reflect.get(expected, key),
          Object.hasOwn(actual, key) ? Reflect.get(actual, key) : undefined,
        ),
      ),
    )
  }
  return isDeepStrictEqual(expected, actual) ? null : differs()
}

const first = (found: readonly (string | null)[]): string | null =>
  found.find((each) => each !== null) ?? null

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Asymmetric {
  asymmetricMatch(actual: unknown): boolean
  toString(): string
}

const isAsymmetric = (value: unknown): value is Asymmetric =>
  typeof value === 'object' &&
  value !== null &&
  'asymmetricMatch' in value &&
  typeof value.asymmetricMatch === 'function'

/** An expectation, or a value, in a message. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return special(value) ?? JSON.stringify(value, (_, each: unknown) => special(each) ?? each)
}

/** The form of a value that JSON has none for; null: it is for JSON. */
function special(value: unknown): string | null {
  if (value instanceof RegExp) return value.toString()
  if (typeof value === 'function') return 'a match of the function'
  return isAsymmetric(value) ? value.toString() : null
}
