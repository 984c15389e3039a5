/**
 * A list wants a person, and a policy with I/O has nothing against the call: what the person who is asked reads. Would catch: a request in
 * the name of a policy that allows, with its reason for allowing.
 */
import { expect, test } from 'vitest'
import { agentWith, asked } from './support/agent.ts'
import { admitted, asks, created } from './support/facts.ts'
import { judged, policiesSay } from './support/permissions.ts'
import { given } from './support/story.ts'

const requestOf = (named: boolean, effect: 'allow' | 'warn' | 'require_approval') => {
  const agent = agentWith({
    guardrails: { policies: [asked], approvalTools: ['pay'] },
    approvals: { gateNamed: named },
  })
  const story = given(
    agent,
    created,
    admitted,
    asks('pay:x'),
    policiesSay(judged(0, 'pay:x', effect)),
  )
  return story.verdicts.flatMap((each) =>
    each.type === 'approval.requested' ? [each.payload] : [],
  )
}

test.each(['allow', 'warn'] as const)(
  'a policy that says %s is not named as who wants a person',
  (effect) => {
    const [request, ...more] = requestOf(true, effect)
    expect(more).toEqual([])
    expect(request).not.toHaveProperty('policyId')
    expect(request).not.toHaveProperty('policyDigest')
    expect(request?.reason).toMatch(/wants a person/)
  },
)

test('a policy that wants a person is named, with its reason', () => {
  expect(requestOf(true, 'require_approval')).toMatchObject([
    { policyId: 'opa', policyDigest: 'sha256:1', reason: 'The policy says require_approval.' },
  ])
})

test('a run of an older definition names the policy that answered last, as it did', () => {
  expect(requestOf(false, 'allow')).toMatchObject([{ policyId: 'opa' }])
})
