/** What Cedar keeps parsed: bounded, and never asked when it is gone. */
import { expect, it } from 'vitest'
import { loadCedar } from '../src/cedar/load.ts'
import { holdPolicies, policySetOf } from '../src/cedar/policy-set.ts'
import { cedarSpec } from './support/hosting.ts'

it('256 sets stay parsed; the one unused for longest becomes empty, and is parsed again when it is asked', async () => {
  const real = await loadCedar()
  const parsed: string[] = []
  const cedar: typeof real = {
    ...real,
    preparsePolicySet(id, policies) {
      parsed.push(id)
      return real.preparsePolicySet(id, policies)
    },
  }
  const sets = Array.from({ length: 257 }, (_, n) =>
    policySetOf(cedarSpec({ policies: { [`p${n}`]: 'permit(principal, action, resource);' } })),
  )
  const ids = sets.map(({ id }) => id)
  const decision = (n: number) => {
    const answer = real.statefulIsAuthorized({
      principal: { type: 'User', id: 'ada' },
      action: { type: 'Action', id: 'call' },
      resource: { type: 'Tool', id: 'bash' },
      context: {},
      entities: [],
      preparsedPolicySetId: ids[n] ?? '',
    })
    return answer.type === 'success' ? answer.response.decision : answer.errors
  }
  const use = (n: number): void => {
    const set = sets[n]
    if (set !== undefined) holdPolicies(cedar, set)
  }

  for (const n of sets.keys()) {
    use(n)
    // In use all the time, so never the oldest.
    use(0)
  }
  expect(parsed).toEqual([...ids, ids[1]])
  expect([decision(0), decision(1), decision(2)]).toEqual(['allow', 'deny', 'allow'])
  use(1)
  expect(parsed).toEqual([...ids, ids[1], ids[1], ids[2]])
  expect([decision(0), decision(1), decision(2)]).toEqual(['allow', 'allow', 'deny'])
})
