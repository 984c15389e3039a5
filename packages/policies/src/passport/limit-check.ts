/** What the check of one capability's limits gets, and the parts of it that all of them need. */
import {
  type Json,
  type JsonObject,
  type PassportEdition,
  type PolicyReason,
  type PolicyRequest,
  rateOf,
  type RateState,
  type RateWindow,
  reason,
} from '@signalbox/core'
import { countOf } from './limit-shape.ts'

/** A call under the limits of its capability. The limits have the shapes they must have. */
export interface LimitedCall {
  readonly capability: string
  readonly limits: JsonObject
  readonly request: PolicyRequest
  /** What relative paths are relative to; null: they stay relative, and only relative limits allow them. */
  readonly root: string | null
  readonly recent: RateState
  /** The edition of the checks that the run pinned. */
  readonly edition: PassportEdition
}

/** The reason to refuse the call; null if the limits allow it. */
export type LimitCheck = (call: LimitedCall) => PolicyReason | null

/** A call without what its capability needs to be judged. */
export const badContext = (message: string): PolicyReason => reason('oap.invalid_context', message)

/** The first refusal of several checks, in order. */
export function firstOf(...checks: readonly (() => PolicyReason | null)[]): PolicyReason | null {
  for (const check of checks) {
    const refused = check()
    if (refused) return refused
  }
  return null
}

/**
 * All texts the arguments hold under any of these names, lists of texts included: tools name the same thing in many
 * ways, and whichever of them a tool reads must have been judged. Null if one of them is no text, or empty, or there
 * is none at all.
 */
export function textsUnder(args: JsonObject, names: readonly string[]): readonly string[] | null {
  const found = names.flatMap((name): readonly Json[] => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined) return []
    return Array.isArray(value) ? (value.length === 0 ? [''] : value) : [value]
  })
  const texts = found.filter((value) => typeof value === 'string' && value !== '')
  return texts.length === 0 || texts.length < found.length
    ? null
    : texts.filter((value) => typeof value === 'string')
}

const windowNames: readonly (readonly [RegExp, RateWindow])[] = [
  [/_per_min(?:ute)?$/, 'minute'],
  [/_per_hour$/, 'hour'],
  [/_per_day$/, 'day'],
]

/** Refuses a call that would be one too many in the window of one of these limits. Counts are those of the run. */
export function checkRates(call: LimitedCall, keys: readonly string[]): PolicyReason | null {
  const { capability, limits, request, recent } = call
  for (const key of keys) {
    const most = countOf(limits, key)
    const window = windowNames.find(([pattern]) => pattern.test(key))?.[1]
    if (most === null || window === undefined) continue
    if (rateOf(recent, capability, { window, at: request.at }) + 1 > most) {
      const text = `limits.${capability}.${key} is ${most}, and this run has used it up. Wait for the next ${window}.`
      return reason('oap.rate_limit_exceeded', text)
    }
  }
  return null
}
