/** Policies that warn: the call runs, and the log says what somebody should look at. */
import { describe, expect, test } from 'vitest'
import { combineAnswers, warningsOf } from '../src/index.ts'
import { agentWith, asked, cedar } from './support/agent.ts'
import { admitted, argsHashOf, asks, created } from './support/facts.ts'
import { edits, judged, policiesSay, policyAnswer } from './support/permissions.ts'
import { given, givenWith } from './support/story.ts'

const warns = () => policyAnswer('warn', 'acme.large')

describe('a warning', () => {
  test('is weaker than everything but an allowance, and is kept beside a stronger answer', () => {
    const all = (['allow', 'warn', 'require_approval', 'deny'] as const).map((effect) =>
      policyAnswer(effect),
    )
    for (let most = 0; most < all.length; most += 1) {
      const said = all.slice(0, most + 1)
      expect(combineAnswers(said).effect).toBe(all[most]?.effect)
      expect(combineAnswers(said.toReversed()).effect).toBe(all[most]?.effect)
      expect(warningsOf(said)).toHaveLength(most > 0 ? 1 : 0)
    }
  })
})

describe('a pure policy that warns', () => {
  const rules = agentWith({ guardrails: { policies: [cedar] } })

  test('lets the call run, and is an event with the policy, the code and the hash of the arguments', () => {
    const story = givenWith(warns, rules, created, admitted)
      .when(asks('search:x'))
      .gives({
        state: 'tools',
        effects: ['2 tool.call search'],
        verdicts: ['policy.warned warned search'],
      })
    expect(story.decision.verdicts[0]?.payload).toEqual({
      callId: 'c_0123456789ab_1_0',
      tool: 'search',
      argsHash: argsHashOf('x'),
      code: 'acme.large',
      message: 'The policy says warn.',
      policyId: 'opa',
      policyDigest: 'sha256:1',
    })
  })

  test('warns of a call that a person is asked about, and of what the person makes of it', () => {
    const story = givenWith(warns, rules, created, admitted).and(asks('pay'))
    expect(story.decision.verdicts.map(({ type }) => type)).toEqual([
      'policy.warned',
      'approval.requested',
    ])
    const edited = story.and(edits(0, 'pay', 'x'))
    expect(edited.decision.verdicts).toMatchObject([
      { type: 'policy.warned', payload: { argsHash: argsHashOf('x') } },
    ])
  })

  test('says nothing of a call that is denied', () => {
    givenWith(warns, rules, created, admitted)
      .when(asks('rm'))
      .gives({ state: 'model', effects: ['2 model.call'], verdicts: ['call.denied denied rm'] })
  })
})

describe('a policy with I/O that warns', () => {
  const remote = agentWith({ guardrails: { policies: [asked] } })

  test('lets the call run, and is an event', () => {
    given(remote, created, admitted)
      .and(asks('search'))
      .when(
        policiesSay((known) => ({
          ...judged(0, 'search', 'warn')(known),
          warnings: [policyAnswer('warn')],
        })),
      )
      .gives({
        state: 'tools',
        effects: ['3 tool.call search'],
        verdicts: ['policy.warned warned search'],
      })
  })

  test('says nothing of a call that another one denies', () => {
    given(remote, created, admitted)
      .and(asks('search'))
      .when(
        policiesSay((known) => ({
          ...judged(0, 'search', 'deny')(known),
          warnings: [policyAnswer('warn')],
        })),
      )
      .gives({
        state: 'model',
        effects: ['3 model.call'],
        verdicts: ['call.denied denied search'],
      })
  })
})
