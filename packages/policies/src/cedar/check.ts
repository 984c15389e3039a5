/** Cedar policies before they are used: whatever could only fail later, or silently never match, fails here. */
import type { CedarSpec } from '@signalbox/core'
import { messageOf } from '@signalbox/engine'
import { bounds } from '../bounds.ts'
import type { Cedar } from './load.ts'
import { holdPolicies, policySetOf } from './policy-set.ts'

/** Throws with what is wrong with the policies of a spec; parses them for the questions to come. */
export function checkCedar(cedar: Cedar, spec: CedarSpec): void {
  const texts = Object.values(spec.policies)
  const bytes = Buffer.byteLength(texts.join('') + (spec.schema ?? ''))
  if (texts.length > bounds.cedarPoliciesMax) {
    throw fault(spec, `has ${texts.length} policies; ${bounds.cedarPoliciesMax} is the limit`)
  }
  if (bytes > bounds.cedarTextBytesMax) {
    throw fault(spec, `has ${bytes} bytes of text; ${bounds.cedarTextBytesMax} is the limit`)
  }
  // A misspelt id in `approval` would let a call pass that a human was meant to see.
  const named = { approval: spec.approval, warn: spec.warn ?? [], codes: Object.keys(spec.codes) }
  for (const [list, ids] of Object.entries(named)) {
    const unknown = ids.find((id) => !Object.hasOwn(spec.policies, id))
    if (unknown !== undefined) throw fault(spec, `names ${unknown} in ${list}, but has no such id`)
  }
  try {
    holdPolicies(cedar, policySetOf(spec))
  } catch (error) {
    throw fault(spec, `cannot be parsed: ${messageOf(error)}`)
  }
  checkAgainstSchema(cedar, spec)
}

/** A policy about an attribute that no request can have never matches, or errors on every call. */
function checkAgainstSchema(cedar: Cedar, { schema, ...spec }: CedarSpec): void {
  if (schema === null) return
  const checked = cedar.validate({ schema, policies: { staticPolicies: { ...spec.policies } } })
  const errors =
    checked.type === 'failure' ? checked.errors : checked.validationErrors.map(({ error }) => error)
  const [first] = errors
  if (first !== undefined) throw fault(spec, `does not fit its schema: ${first.message}`)
}

const fault = (spec: { readonly id: string }, what: string): Error =>
  new Error(`The Cedar policy "${spec.id}" ${what}.`)
