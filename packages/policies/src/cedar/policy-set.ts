/**
 * Policies that Cedar has parsed. Its store is one per process and has no way to forget, so every host shares what is
 * kept here: a set is known by the hash of its text, and the one unused for longest makes place by becoming empty. An
 * empty set denies everything, and nobody asks it: `hold` comes before every question.
 */
import { createHash } from 'node:crypto'
import type { CedarSpec } from '@signalbox/core'
import { canonical } from '@signalbox/engine'
import { bounds } from '../bounds.ts'
import type { Cedar } from './load.ts'

/** Text of policies with its hash. */
export interface CedarPolicies {
  readonly id: string
  readonly policies: Readonly<Record<string, string>>
  readonly schema: string | null
}

/** Ids of the held sets, the one unused for longest first, for each loaded copy of Cedar. */
const held = new WeakMap<Cedar['preparsePolicySet'], Set<string>>()

/** The policy set of a spec. */
export function policySetOf(spec: CedarSpec): CedarPolicies {
  const { policies, schema } = spec
  const id = createHash('sha256').update(canonical({ policies, schema })).digest('hex')
  return { id, policies, schema }
}

/** Makes sure that Cedar knows the set. Throws with Cedar's words when it cannot be parsed. */
export function holdPolicies(cedar: Cedar, set: CedarPolicies): void {
  const ids = held.get(cedar.preparsePolicySet) ?? new Set<string>()
  held.set(cedar.preparsePolicySet, ids)
  if (!ids.delete(set.id)) parse(cedar, set)
  ids.add(set.id)
  if (ids.size <= bounds.cedarSetsMax) return
  for (const oldest of ids) {
    ids.delete(oldest)
    parse(cedar, { id: oldest, policies: {}, schema: '' })
    return
  }
}

function parse(cedar: Cedar, set: CedarPolicies): void {
  if (set.schema !== null) {
    expectSuccess(cedar.preparseSchema(set.id, set.schema))
  }
  expectSuccess(cedar.preparsePolicySet(set.id, { staticPolicies: { ...set.policies } }))
}

function expectSuccess(answer: ReturnType<Cedar['preparsePolicySet']>): void {
  if (answer.type === 'failure') {
    throw new Error(answer.errors.map((error) => error.message).join('; '))
  }
}
