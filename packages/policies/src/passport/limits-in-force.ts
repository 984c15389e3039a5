/**
 * The limits of a passport that hold for a capability, wherever they stand: under its id, its pack's id, a dotted path, the
 * parameters of the capability, or flat at the root.
 *
 * I1 An object among the limits that names nothing we know denies every call: whoever wrote it meant to forbid something.
 * I2 A limit that stands twice with two values denies: neither is known to be the one that was meant.
 * I3 A key nobody knows denies, unless it is a remark by its name.
 */
import { type Json, type JsonObject, type PolicyReason, reason, quoted } from '@signalbox/core'
import { fieldLimitNames, fieldTableOf } from './fields/tables.ts'
import { shapeProblem } from './fields/shape.ts'
import { isObject } from './fields/values.ts'
import { checkedLimitNames, checkedShapeProblem, isChecked, isCheckedLimit } from './limit-shape.ts'
import { checkedAs, isNamed, knownNames, limitNamesOf } from './packs.ts'
import type { Passport } from './read-passport.ts'

/** The limits of a capability, or why they cannot be checked. */
type LimitsReading =
  | { readonly ok: true; readonly limits: JsonObject }
  | { readonly ok: false; readonly why: PolicyReason }

const wrong = (text: string): PolicyReason => reason('oap.policy_error', text)

const isRemark = (key: string, value: Json): boolean =>
  !isObject(value) &&
  /^(?:\$?comment|description|notes?|title|label|version|(?:cre|upd)ated_at)$|^(?:x[-_]|_)/.test(
    key,
  )

const approvals = new Set(['approval_required', 'require_confirmation'])

/** An object among the limits, and the dotted path at which it stands. */
interface Part {
  readonly path: string
  readonly value: JsonObject
}

const childrenOf = ({ path, value }: Part): readonly Part[] =>
  Object.entries(value).flatMap(([key, each]) =>
    isObject(each) ? [{ path: path === '' ? key : `${path}.${key}`, value: each }] : [],
  )

/** Every object at a path that is named. */
function namedParts(part: Part, names: ReadonlySet<string>, depth = 0): readonly Part[] {
  if (depth > 6) return []
  return childrenOf(part).flatMap((child) => [
    ...(isNamed(child.path, names) ? [child] : []),
    ...namedParts(child, names, depth + 1),
  ])
}

/** The limits of a capability that its passport holds. */
export function limitsInForce(passport: Passport, capability: string): LimitsReading {
  const { limits, parameters } = passport
  const names = limitNamesOf(capability)
  const misplaced = Object.keys(limits).find((key) => isNamed(key, names) && !isObject(limits[key]))
  if (misplaced !== undefined)
    return { ok: false, why: wrong(`limits.${misplaced} must be an object.`) }
  const parts = [
    ...namedParts({ path: '', value: limits }, names),
    ...parameters.flatMap(({ id, value }) => (isNamed(id, names) ? [{ path: id, value }] : [])),
  ]
  const own: Record<string, Json> = {}
  for (const { path, value } of parts)
    for (const [key, each] of Object.entries(value)) {
      // Limits of a longer name in a tree of names: `data.export` holds those of `data.export.create`.
      if (isObject(each) && isNamed(`${path}.${key}`, knownNames)) continue
      if (Object.hasOwn(own, key) && JSON.stringify(own[key]) !== JSON.stringify(each))
        return { ok: false, why: wrong(`limits.${path}.${key} stands twice, with two values.`) }
      own[key] = each
    }
  const why = problemOf(capability, own, limits)
  if (why !== null) return { ok: false, why }
  const flat = Object.entries(limits).filter(([, value]) => !isObject(value))
  return { ok: true, limits: { ...Object.fromEntries(flat), ...own } }
}

function problemOf(capability: string, own: JsonObject, all: JsonObject): PolicyReason | null {
  const name = checkedAs(capability)
  const table = fieldTableOf(name)
  const isKnown = (key: string): boolean =>
    approvals.has(key) || isCheckedLimit(name, key) || (table !== null && Object.hasOwn(table, key))
  const unknown = Object.entries(own).find(([key, value]) => !isKnown(key) && !isRemark(key, value))
  if (unknown !== undefined) {
    const what = isChecked(name) || table !== null ? 'remove or correct it' : 'ask a policy server'
    return wrong(`The limit ${quoted(unknown[0])} of ${capability} cannot be checked; ${what}.`)
  }
  for (const [key, value] of Object.entries({ ...all, ...own })) {
    if (!isKnown(key)) continue
    const rule = table !== null && Object.hasOwn(table, key) ? table[key] : undefined
    const must = rule ? shapeProblem(rule, value) : checkedShapeProblem(name, key, value)
    if (must !== null) return wrong(`limits.${capability}.${key} must be ${must}.`)
  }
  return null
}

const problems = new WeakMap<Passport, readonly PolicyReason[]>()

/** The fault of a passport whatever the call: an object or a number of which nobody can tell what it forbids. */
export function passportProblem(passport: Passport): PolicyReason | null {
  const known = problems.get(passport) ?? [...findProblems(passport)].slice(0, 1)
  problems.set(passport, known)
  return known[0] ?? null
}

function* findProblems({
  limits,
  parameters,
  capabilities,
  unknown,
}: Passport): Iterable<PolicyReason> {
  for (const field of unknown)
    yield wrong(`The field ${quoted(field)} of the passport is unknown, and may be a limit.`)
  for (const value of [limits, ...parameters.map((each) => each.value)])
    if (holdsUnsafeNumber(value))
      yield wrong('A number in the limits is larger than 2^53 - 1, so that it cannot be compared.')
  const names = new Set([...knownNames, ...capabilities])
  yield* findUnknownParts({ path: '', value: limits }, names)
  for (const [key, value] of Object.entries(limits))
    if (!isObject(value) && !isFlatLimit(key) && !isRemark(key, value) && !isNamed(key, names))
      yield wrong(`The limit ${quoted(key)} belongs to no capability that can be checked.`)
}

const isFlatLimit = (key: string): boolean =>
  approvals.has(key) || checkedLimitNames.has(key) || fieldLimitNames.has(key)

function* findUnknownParts(part: Part, names: ReadonlySet<string>): Iterable<PolicyReason> {
  for (const child of childrenOf(part)) {
    if (isNamed(child.path, names)) continue
    const leads = [...names].some((name) => name.startsWith(`${child.path}.`))
    const loose = Object.keys(child.value).find((key) => !isObject(child.value[key]))
    if (!leads || loose !== undefined || Object.keys(child.value).length === 0)
      yield wrong(`limits.${child.path} names no capability of the passport and no known pack.`)
    else yield* findUnknownParts(child, names)
  }
}

/** Does a value hold a number that JSON does not carry exactly? */
export function holdsUnsafeNumber(value: Json): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((each: Json) => holdsUnsafeNumber(each))
}
