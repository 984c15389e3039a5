/** How far a human's answer reaches: this call, this run, every run of the agent. */
import { describe, expect, test } from 'vitest'
import { grantKey } from '../src/verdict/authorization/judge.ts'
import { agentWith } from './support/agent.ts'
import { admitted, argsHashOf, asks, completes, created } from './support/facts.ts'
import { approves, editsAlways, rejects } from './support/permissions.ts'
import { given } from './support/story.ts'

const agent = agentWith()
const asked = (...calls: readonly string[]) => given(agent, created, admitted).and(asks(...calls))

describe('how far an answer reaches', () => {
  test('once: the same call is asked about again', () => {
    asked('pay:1')
      .and(approves(0, 'pay', 'once'))
      .and(completes(0, 'paid 1'))
      .when(asks('pay:1'))
      .gives({
        state: 'approval',
        status: 'waiting',
        verdicts: ['approval.requested asked pay'],
        timeout: 'cleared',
      })
  })

  test.each(['run', 'always'] as const)(
    '%s: the same tool with the same arguments runs at once, and the log says why',
    (scope) => {
      const story = asked('pay:1')
        .and(approves(0, 'pay', scope))
        .and(completes(0, 'paid 1'))
        .when(asks('pay:1', 'pay:2'))
        .gives({
          state: 'approval',
          status: 'running',
          effects: ['4 tool.call pay'],
          verdicts: ['approval.reused run pay', 'approval.requested asked pay'],
        })
      expect(story.decision.verdicts[0]?.payload).toEqual({
        callId: 'c_0123456789ab_2_0',
        tool: 'pay',
        argsHash: argsHashOf('1'),
        scope: 'run',
      })
    },
  )

  test('an edited call is approved once, whatever the scope', () => {
    asked('pay:1')
      .and(editsAlways(0, 'pay', '2'))
      .and(completes(0, 'paid 2'))
      .when(asks('pay:1', 'pay:2'))
      .gives({
        state: 'approval',
        status: 'waiting',
        verdicts: ['approval.requested asked pay', 'approval.requested asked pay'],
        timeout: 'cleared',
      })
  })

  test('what stands for every run of the agent comes with the answer of the model', () => {
    given(agent, created, admitted)
      .when((known) => {
        const fact = asks('pay:1', 'pay:2')(known)
        if (fact.type !== 'model.completed') return fact
        return { ...fact, payload: { ...fact.payload, granted: ['c_0123456789ab_1_1'] } }
      })
      .gives({
        state: 'approval',
        status: 'running',
        effects: ['2 tool.call pay'],
        verdicts: ['approval.reused always pay', 'approval.requested asked pay'],
      })
  })

  test('what a human rejected is not asked again in this run: denied at once', () => {
    const story = asked('pay:1')
      .and(rejects(0, 'pay'))
      .when(asks('pay:1', 'pay:2'))
      .gives({
        state: 'approval',
        status: 'waiting',
        verdicts: ['call.denied denied pay', 'approval.requested asked pay'],
        timeout: 'cleared',
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({ code: 'rejected_before' })
  })

  test('a rejection beats an earlier approval of the same call', () => {
    asked('pay:1', 'pay:1')
      .and(approves(0, 'pay', 'run'))
      .and(rejects(1, 'pay'))
      .and(completes(0))
      .when(asks('pay:1'))
      .gives({ state: 'model', effects: ['4 model.call'], verdicts: ['call.denied denied pay'] })
  })

  test('the newest six are remembered: an older one is asked again', () => {
    const calls = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((each) => `pay:${each}`)
    let story = asked(...calls)
    for (const n of calls.keys()) story = story.and(approves(n, 'pay', 'run'))
    for (const n of calls.keys()) story = story.and(completes(n))
    const next = story.and(asks(...calls))
    expect(next.decision.verdicts.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 6 }, () => 'approval.reused'),
      'approval.requested',
    ])
    expect(next.decision.verdicts.at(-1)?.payload).toMatchObject({ argsHash: argsHashOf('a') })
  })
})

test('a run remembers 128 bits of the arguments it was allowed, and the 64 of before in definitions of before', () => {
  const hash = argsHashOf('1')
  const collides = hash.slice(0, 16) + argsHashOf('2').slice(16)
  const remembers = (rememberedBits: 64 | 128) =>
    grantKey(agentWith({ approvals: { rememberedBits } }), 0, hash) ===
    grantKey(agentWith({ approvals: { rememberedBits } }), 0, collides)
  expect(remembers(64)).toBe(true)
  expect(remembers(128)).toBe(false)
  expect(agentWith({}).approvals.rememberedBits).toBe(64)
})
