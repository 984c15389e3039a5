/** Values of arguments, by declared names. What is missing or of another type is never taken for something harmless. */
import type { Json, JsonObject } from '@signalbox/core'

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** Every value under any of these names; a dotted name goes into objects, and into each element of lists. */
export const valuesUnder = (args: JsonObject, names: readonly string[]): readonly Json[] =>
  names.flatMap((name) => below([args], name.split('.')))

function below(values: readonly Json[], steps: readonly string[]): readonly Json[] {
  const [step, ...rest] = steps
  if (step === undefined) return values
  const next = values.flatMap(elementsOf).flatMap((value): readonly Json[] => {
    const found = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
    return found === undefined ? [] : [found]
  })
  return below(next, rest)
}

const elementsOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value])

/**
 * The words under these names, lists of them included; numbers count as words, because ids come as both. Null if there is
 * none, or something that is neither.
 */
export function wordsUnder(args: JsonObject, names: readonly string[]): readonly string[] | null {
  const values = valuesUnder(args, names).flatMap((value) =>
    Array.isArray(value) && value.length === 0 ? [null] : elementsOf(value),
  )
  const words = values.flatMap((value) =>
    typeof value === 'string' && value !== ''
      ? [value]
      : typeof value === 'number'
        ? [String(value)]
        : [],
  )
  return words.length === 0 || words.length < values.length ? null : words
}

/** A finite number of 0 or more that JSON carries exactly. */
export const isAmount = (value: Json | undefined): value is number =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER

/** All texts anywhere in a value, keys included. */
export function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((each: Json) => textsIn(each))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each)])
}
