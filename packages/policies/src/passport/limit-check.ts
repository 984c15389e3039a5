/** The input of the check of one capability's limits, and the parts of it that all of them need. */
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
  /** The folder that relative paths are relative to; null: they stay relative, and only relative limits allow them. */
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
    return value === undefined ? [] : elementsOrBlank(value)
  })
  const texts = found.filter((value) => typeof value === 'string').filter((text) => text !== '')
  return texts.length === 0 || texts.length < found.length ? null : texts
}

/** The values of a list, one by one; an empty list is an empty text, so that it is not taken for nothing. */
export const elementsOrBlank = (value: Json): readonly Json[] =>
  Array.isArray(value) ? (value.length === 0 ? [''] : value) : [value]

const windowNames: readonly (readonly [RegExp, RateWindow])[] = [
  [/_per_min(?:ute)?$/, 'minute'],
  [/_per_hour$/, 'hour'],
  [/_per_day$/, 'day'],
]

/** Refuses a call that would be one too many in the window of one of these limits. Counts are those of the run. */
export function checkRates(call: LimitedCall, keys: readonly string[]): PolicyReason | null {
  for (const key of keys) {
    const most = countOf(call.limits, key)
    const window = windowNames.find(([pattern]) => pattern.test(key))?.[1]
    if (most === null || window === undefined) continue
    const refused = checkRate(call, { key, most, window })
    if (refused) return refused
  }
  return null
}

/** The same of one limit, whatever its name says about the window. */
export function checkRate(
  { capability, request, recent }: LimitedCall,
  {
    key,
    most,
    window,
  }: { readonly key: string; readonly most: number; readonly window: RateWindow },
): PolicyReason | null {
  if (rateOf(recent, capability, { window, at: request.at }) + 1 <= most) return null
  const text = `limits.${capability}.${key} is ${most}, and this run has used it up. Wait for the next ${window}.`
  return reason('oap.rate_limit_exceeded', text)
}
