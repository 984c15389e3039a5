/** Policies that cannot answer, and what a pure one is asked. */
import { describe, expect, test } from 'vitest'
import { agentWith, asked, cedar } from './support/agent.ts'
import { admitted, asks, created, run } from './support/facts.ts'
import { judged, policiesSay, policyAnswer } from './support/permissions.ts'
import { given, givenWith } from './support/story.ts'

const agent = agentWith({ guardrails: { policies: [asked] } })
const started = () => given(agent, created, admitted)

const throws = () => {
  throw new Error('out of rules')
}

describe('policies that cannot answer', () => {
  const fault = { policyId: 'opa', message: 'connection refused' }

  test('are events, whatever became of the call', () => {
    const story = started()
      .and(asks('search'))
      .when(policiesSay((known) => ({ ...judged(0, 'search', 'allow')(known), faults: [fault] })))
      .gives({
        state: 'tools',
        effects: ['3 tool.call search'],
        verdicts: ['policy.faulted faulted search'],
      })
    expect(story.decision.verdicts[0]?.payload).toEqual({
      callId: 'c_0123456789ab_1_0',
      tool: 'search',
      ...fault,
    })
  })

  test.each([
    [
      true,
      'model',
      ['2 model.call'],
      ['policy.faulted faulted search', 'call.denied denied search'],
    ],
    [false, 'tools', ['2 tool.call search'], ['policy.faulted faulted search']],
  ] as const)(
    'a pure one without an evaluator, fail closed %s',
    (failClosed, state, effects, verdicts) => {
      const rules = agentWith({ guardrails: { policies: [cedar], failClosed } })
      const story = given(rules, created, admitted)
        .when(asks('search'))
        .gives({ state, effects: [...effects], verdicts: [...verdicts] })
      const codes = story.verdicts.flatMap(({ payload }) =>
        'code' in payload ? [payload.code] : [],
      )
      expect(codes).toEqual(failClosed ? ['oap.evaluator_error'] : [])
    },
  )

  test('a pure one that throws', () => {
    const rules = agentWith({ guardrails: { policies: [cedar] } })
    const story = givenWith(throws, rules, created, admitted).and(asks('search'))
    expect(story.decision.verdicts.map(({ payload }) => payload)).toMatchObject([
      { policyId: 'rules', message: 'out of rules' },
      { code: 'oap.evaluator_error', policyId: 'rules' },
    ])
  })
})

test('a pure policy is asked inside the decision, with what the server knows and nothing else', () => {
  const rules = agentWith({ guardrails: { policies: [cedar] } })
  const seen: unknown[] = []
  const story = givenWith(
    (request) => {
      seen.push(request)
      return policyAnswer('require_approval')
    },
    rules,
    created,
    admitted,
  )
  const caller = { user: { id: 'u1', role: 'clerk' }, isSubagent: true }
  story
    .when((known) => {
      const fact = asks('search:x')(known)
      if (fact.type !== 'model.completed') return fact
      return { ...fact, payload: { ...fact.payload, caller } }
    })
    .gives({
      state: 'approval',
      status: 'waiting',
      verdicts: ['approval.requested asked search'],
      timeout: 'cleared',
    })
  expect(new Set(seen.map((each) => JSON.stringify(each)))).toEqual(
    new Set([
      JSON.stringify({
        tool: 'search',
        args: { arg: 'x' },
        callId: 'c_0123456789ab_1_0',
        agent: 'a',
        runId: run,
        isSubagent: true,
        user: { id: 'u1', role: 'clerk' },
        at: 1_700_000_000_000,
      }),
    ]),
  )
})
