/**
 * JSON as Cedar values. Text, booleans and whole numbers stay what they are, objects become records, lists become sets
 * (without order and repetition). Cedar has no null: a field that is null is left out, as if the model had not given
 * it. What has no counterpart is refused, and the call with it:
 *
 * - a number with a fraction, or beyond ±(2^53 − 1), whose exact value JSON has already lost;
 * - null within a list;
 * - an object with a key `__entity`, `__extn` or `__expr`: Cedar would read it as an entity, and the model would say who
 *   it is.
 */
import { type Json, type JsonObject, limits } from '@signalbox/core'
import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs'
import { bounds } from '../bounds.ts'

const escapes = new Set(['__entity', '__extn', '__expr'])

/** Maps the arguments of a call. Throws, naming the place, on what Cedar cannot say. */
export function toRecord(args: JsonObject): Record<string, CedarValueJson> {
  let left: number = bounds.cedarValuesMax

  const record = (value: JsonObject, path: readonly string[]): Record<string, CedarValueJson> => {
    const fields: [string, CedarValueJson][] = []
    for (const [key, each] of Object.entries(value)) {
      if (escapes.has(key)) throw refusal(`an object with the key ${key}`, path)
      if (each !== null) fields.push([key, convert(each, [...path, key])])
    }
    // Defines own properties, `__proto__` included.
    return Object.fromEntries(fields)
  }

  const convert = (value: Json, path: readonly string[]): CedarValueJson => {
    if (--left < 0) throw refusal(`more than ${bounds.cedarValuesMax} values`, [])
    if (path.length > limits.jsonDepthMax) throw refusal('a deeper value', path)
    if (value === null) throw refusal('null in a list', path)
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw refusal('a number that is not whole or too large', path)
    }
    if (typeof value !== 'object') return value
    if (isList(value)) return value.map((each, index) => convert(each, [...path, String(index)]))
    return record(value, path)
  }

  return record(args, [])
}

// `Array.isArray` does not narrow a readonly array away.
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

function refusal(what: string, path: readonly string[]): Error {
  const place = ['args', ...path].join('.').slice(0, 100)
  return new TypeError(`Cedar cannot be asked about ${what} at ${place}.`)
}
