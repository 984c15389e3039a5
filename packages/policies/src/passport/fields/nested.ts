/** Limits that are objects: permissions by class of data, and criteria a deliverable must meet. */
import { type Json, type PolicyReason, reason, quoted } from '@signalbox/core'
import { badContext, type LimitedCall } from '../limit-check.ts'
import { isObject, isTexts, valuesUnder, wordsUnder } from './values.ts'

const classKeys: readonly (readonly [string, string, string])[] = [
  ['allowed_entity_types', 'accessing_entity_type', 'entity_type_forbidden'],
  ['allowed_actions', 'action', 'action_forbidden'],
]

/** `{ class: { allowed_entity_types, allowed_actions } }` and nothing else. */
export const isClasses = (value: Json): boolean =>
  isObject(value) &&
  Object.values(value).every(
    (each) =>
      isObject(each) &&
      Object.entries(each).every(
        ([key, list]) => classKeys.some(([known]) => known === key) && isTexts(list),
      ),
  )

/** Refuses data of a class without permissions, and entities and actions that those of its class do not name. */
export function checkClasses(
  { capability, request }: LimitedCall,
  classes: Json,
): PolicyReason | null {
  const [name, ...more] = wordsUnder(request.args, ['data_classification']) ?? []
  if (name === undefined || more.length > 0)
    return badContext('The call must name one class of data in "data_classification".')
  const own = isObject(classes) && Object.hasOwn(classes, name) ? classes[name] : undefined
  if (!isObject(own)) {
    const text = `${quoted(name)} is not in limits.${capability}.permissions.`
    return reason('oap.classification_forbidden', text)
  }
  for (const [key, argument, code] of classKeys) {
    const list = own[key]
    if (!isTexts(list)) continue
    const words = wordsUnder(request.args, [argument])
    if (words === null) return badContext(`The call must have "${argument}", as a text.`)
    const stranger = words.find((word) => !list.includes('*') && !list.includes(word))
    if (stranger === undefined) continue
    const text = `${quoted(stranger)} is not in limits.${capability}.permissions.${name}.${key}.`
    return reason(`oap.${code}`, text)
  }
  return null
}

/** A list of `{ id }`; descriptions may stand beside it. */
export const isCriteria = (value: Json): boolean =>
  Array.isArray(value) &&
  value.every((each: Json) => isObject(each) && typeof each['id'] === 'string')

/** Refuses a deliverable unless each criterion is attested once, as met, with evidence. */
export function checkCriteria({ request }: LimitedCall, criteria: Json): PolicyReason | null {
  const attested = valuesUnder(request.args, ['criteria_attestations']).flatMap((value) =>
    Array.isArray(value) ? value : [value],
  )
  const wanted = Array.isArray(criteria) ? criteria : []
  for (const each of wanted) {
    const id: Json | undefined = isObject(each) ? each['id'] : undefined
    if (typeof id !== 'string') continue
    const own = attested.filter((one) => isObject(one) && one['criterion_id'] === id)
    if (own.length === 0)
      return reason('oap.criteria_incomplete', `The criterion ${quoted(id)} is not attested.`)
    if (!own.every((one) => isObject(one) && one['met'] === true))
      return reason('oap.criteria_not_met', `The criterion ${quoted(id)} is not met.`)
    if (!own.every((one) => isObject(one) && hasEvidence(one['evidence'])))
      return reason('oap.evidence_missing', `The criterion ${quoted(id)} has no evidence.`)
  }
  return null
}

const hasEvidence = (value: Json | undefined): boolean =>
  typeof value === 'string'
    ? value.trim() !== ''
    : Array.isArray(value)
      ? value.length > 0
      : isObject(value) && Object.keys(value).length > 0
