/**
 * Arguments under the names that the checks look for. A tool that declares `{ path: ['output'] }` is judged as if it had
 * called the argument `path`; both are judged if it has both.
 */
import type { Json, JsonObject, JudgedArguments } from '@signalbox/core'
import { valuesUnder } from '../fields/values.ts'
import { elementsOrBlank } from '../limit-check.ts'
import { ownNamesOf, usualNames } from './argument-kinds.ts'

/** The arguments as the checks of a capability see them. */
export function renamed(capability: string, judged: JudgedArguments, args: JsonObject): JsonObject {
  const entries = Object.entries(judged)
  const gone = new Set(
    entries.flatMap(([kind, names]) =>
      names.filter((name) => (kind === 'none' ? usualNames.has(name) : true)),
    ),
  )
  const seen = new Map(Object.entries(args).filter(([name]) => !gone.has(name)))
  for (const [kind, names] of entries) {
    const values = declaredValues(kind, names, args)
    if (kind === 'none' || values.length === 0) continue
    const targets = ownNamesOf(capability, kind)
    for (const target of targets) {
      const before = seen.get(target)
      const all = before === undefined ? values : [...elementsOrBlank(before), ...values]
      const [only] = all
      seen.set(target, all.length === 1 && only !== undefined ? only : all)
    }
    // An argument that no check of this capability looks for keeps its name.
    if (targets.length === 0)
      for (const name of names) {
        const value = Object.hasOwn(args, name) ? args[name] : undefined
        if (value !== undefined && !usualNames.has(name)) seen.set(name, value)
      }
  }
  return Object.fromEntries(seen)
}

/** The values that a call has under the declared names, lists one by one; hosts as addresses. */
export function declaredValues(
  kind: string,
  names: readonly string[],
  args: JsonObject,
): readonly Json[] {
  const values = valuesUnder(args, names).flatMap(elementsOrBlank)
  return kind === 'host' ? values.map(addressOf) : values
}

const addressOf = (value: Json): Json =>
  typeof value === 'string' && value !== '' && !value.includes('://') ? `https://${value}` : value
