/** What a human may answer about a call; and what happens if nobody does. */
import { describe, expect, test } from 'vitest'
import { type PureEvaluator } from '../src/index.ts'
import { agentWith, cedar } from './support/agent.ts'
import {
  admitted,
  argsHashOf,
  asks,
  cancels,
  completes,
  created,
  faults,
  fires,
} from './support/facts.ts'
import { approves, edits, editsNothing, expires } from './support/permissions.ts'
import { said } from './support/log.ts'
import { given, givenWith } from './support/story.ts'

const agent = agentWith({ approvals: { expiresMs: 60_000 } })
const asked = (...calls: readonly string[]) => given(agent, created, admitted).and(asks(...calls))

/** Allows every call but those for ten. */
const noTens: PureEvaluator = ({ args }) => ({
  effect: args['arg'] === '10' ? 'deny' : 'allow',
  reasons: [{ code: 'x.too_much', message: 'Ten is too much.' }],
  policyId: 'rules',
  policyDigest: '',
})

const ignored = ['event.ignored ignored']

test('a request names the call, its arguments by hash, why it is asked, and when it expires', () => {
  const { decision } = asked('pay:7')
  expect(decision.verdicts[0]?.payload).toEqual({
    callId: 'c_0123456789ab_1_0',
    tool: 'pay',
    argsHash: argsHashOf('7'),
    approvalId: 'a_0123456789ab_1_0',
    policyId: 'lists',
    reason: 'A person must approve each call of the tool "pay".',
    expiresAt: 1_700_000_000_000 + 60_000,
  })
  expect(decision.timers).toEqual([{ id: 'approval:c_0123456789ab_1_0', afterMs: 60_000 }])
})

describe('nobody answers in time', () => {
  test('the call is rejected, and the model reads so', () => {
    const story = asked('pay')
      .when(expires(0))
      .gives({
        state: 'model',
        path: ['approval', 'loop', 'model'],
        effects: ['2 model.call'],
        verdicts: ['approval.expired expired pay', 'call.denied denied pay'],
        timeout: 3_600_000,
      })
    expect(story.decision.verdicts[1]?.payload).toMatchObject({ code: 'approval_expired' })
    expect(story.prompt().at(-1)).toMatch(/^error c_\w+ pay: .*approval_expired.*Nobody approved/)
  })

  test('each call alone', () => {
    asked('pay:a', 'pay:b')
      .when(expires(1))
      .gives({
        state: 'approval',
        status: 'waiting',
        verdicts: ['approval.expired expired pay', 'call.denied denied pay'],
      })
      .when(approves(0, 'pay'))
      .gives({ state: 'tools', effects: ['2 tool.call pay'], timeout: 3_600_000 })
  })

  test('the expiry first: an answer after it means nothing, in the same batch or later', () => {
    asked('pay')
      .when(expires(0), approves(0, 'pay'))
      .gives({
        state: 'model',
        effects: ['2 model.call'],
        verdicts: ['approval.expired expired pay', 'call.denied denied pay', ...ignored],
        timeout: 3_600_000,
      })
    asked('pay:a', 'pay:b')
      .and(expires(0))
      .when(approves(0, 'pay'))
      .gives({ state: 'approval', status: 'waiting', verdicts: ignored })
  })

  test('the answer first: the expiry after it means nothing', () => {
    asked('pay')
      .when(approves(0, 'pay'), expires(0))
      .gives({
        state: 'tools',
        effects: ['2 tool.call pay'],
        verdicts: ignored,
        timeout: 3_600_000,
      })
    asked('pay')
      .and(approves(0, 'pay'))
      .when(expires(0))
      .gives({ state: 'tools', verdicts: ignored })
  })

  test('an edit, and the expiry in the same batch', () => {
    const story = asked('pay')
      .when(edits(0, 'pay', '3'), expires(0))
      .gives({
        state: 'tools',
        effects: ['2 tool.call pay'],
        verdicts: ignored,
        timeout: 3_600_000,
      })
    expect(story.decision.effects).toMatchObject([{ edited: true, argsHash: argsHashOf('3') }])
  })

  test('an expiry of a call that needs nobody, of another turn, or of none', () => {
    const story = asked('search', 'pay')
    story.when(expires(0)).gives({ state: 'approval', verdicts: ignored })
    story.when(expires(7)).gives({ state: 'approval', verdicts: ignored })
    story.when(fires('approval:')).gives({ state: 'approval', verdicts: ignored })
    story.when(fires('approval:c_0123456789ab_9_1')).gives({ state: 'approval', verdicts: ignored })
  })

  test.each([
    ['a cancel', cancels()],
    ['a fault', faults],
  ])('%s takes the timers with it', (_, move) => {
    const { decision } = asked('pay:a', 'search', 'pay:b').and(move)
    expect(decision.clearTimers).toEqual(
      expect.arrayContaining(['approval:c_0123456789ab_1_0', 'approval:c_0123456789ab_1_2']),
    )
    expect(decision.clearTimers).not.toContain('approval:c_0123456789ab_1_1')
  })
})

describe('a human edits a call', () => {
  test('the edited arguments run, by the number of his answer; the model reads its call as edited', () => {
    const story = asked('pay:1000')
      .when(edits(0, 'pay', '10'))
      .gives({ state: 'tools', effects: ['2 tool.call pay'], timeout: 3_600_000 })
    expect(story.decision.effects).toMatchObject([
      { argsHash: argsHashOf('10'), approval: 4, edited: true },
    ])
    const prompt = JSON.stringify(story.and(completes(0)).prompt())
    expect(prompt).toContain('result c_0123456789ab_1_0 pay: result 0')
    expect(story.shown(0)).toEqual({ arg: '10' })
  })

  test('an approval names the answer, and not that it was edited', () => {
    const { decision } = asked('pay:1').and(approves(0, 'pay'))
    expect(decision.effects).toMatchObject([{ argsHash: argsHashOf('1'), approval: 4 }])
    expect(decision.effects[0]).not.toHaveProperty('edited')
  })

  test('edited arguments are judged again: a denial beats the human', () => {
    const strict = agentWith({
      guardrails: {
        policies: [cedar],
      },
    })
    const story = givenWith(noTens, strict, created, admitted)
      .and(asks('pay:1'))
      .when(edits(0, 'pay', '10'))
      .gives({
        state: 'model',
        effects: ['2 model.call'],
        verdicts: ['call.denied denied pay'],
        timeout: 3_600_000,
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      code: 'x.too_much',
      policyId: 'rules',
    })
  })

  test('an edit without arguments runs nothing', () => {
    const story = asked('pay')
      .when(editsNothing(0, 'pay'))
      .gives({
        state: 'model',
        effects: ['2 model.call'],
        verdicts: ['call.denied denied pay'],
        timeout: 3_600_000,
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({ code: 'edit_without_args' })
  })

  test('arguments that came with an approval are not those that run, nor those the model reads', () => {
    const story = asked('pay:1').and((known) => {
      const fact = edits(0, 'pay', '9')(known)
      if (fact.type !== 'approval.answered') return fact
      return { ...fact, payload: { ...fact.payload, decision: 'approve' } }
    })
    expect(story.decision.effects).toMatchObject([{ argsHash: argsHashOf('1') }])
    expect(story.shown(0)).toEqual({ arg: '1' })
  })

  test('an edit that came too late changes nothing of what the model reads', () => {
    const story = asked('pay:1', 'pay:2')
      .and(expires(0))
      .and(edits(0, 'pay', '9'))
    expect(story.shown(0)).toEqual({ arg: '1' })
  })
})

test('later runs of the thread read the result of each call, and nothing of the asking', () => {
  const story = asked('pay:1').and(approves(0, 'pay')).and(cancels())
  expect(story.prompt(said(['and now?']))).toEqual([
    'user: hello',
    'assistant: tool_call c_0123456789ab_1_0',
    'error c_0123456789ab_1_0 pay: Error: this call has no result; the run ended before it settled.',
    'user: and now?',
  ])
})
