/** A human is asked: the run waits for exactly that, and goes on with the answer. */
import { expect, test } from 'vitest'
import { agentWith } from './support/agent.ts'
import { admitted, asks, cancels, completes, created, unknown } from './support/facts.ts'
import { approves, rejects } from './support/permissions.ts'
import { given } from './support/story.ts'

const agent = agentWith({ limits: { timeoutMs: 60_000 } })
const asked = (...calls: readonly string[]) => given(agent, created, admitted).and(asks(...calls))

test('approved: the call becomes an effect with the hash that was approved, and the clock goes on', () => {
  const story = asked('pay')
    .when(approves(0, 'pay'))
    .gives({
      state: 'tools',
      status: 'running',
      path: ['approval', 'tools'],
      effects: ['2 tool.call pay'],
      timeout: 60_000,
    })
  const requested = story.verdicts.find((verdict) => verdict.type === 'approval.requested')
  expect(requested?.payload).toMatchObject({ callId: 'c_0123456789ab_1_0', tool: 'pay' })
  expect(story.decision.effects[0]).toMatchObject({
    mode: 'once',
    source: expect.stringMatching(/\.1$/),
  })
  story.when(completes(0)).gives({ state: 'model', effects: ['3 model.call'] })
})

test('rejected: the model reads that a human said no, and why', () => {
  const story = asked('pay')
    .when(rejects(0, 'pay', 'too dear'))
    .gives({
      state: 'model',
      path: ['approval', 'loop', 'model'],
      effects: ['2 model.call'],
      verdicts: ['call.denied denied pay'],
      timeout: 60_000,
    })
  expect(story.decision.verdicts[0]?.payload).toMatchObject({
    code: 'rejected',
    message: 'A person rejected this call; it was not executed. Do not repeat it. Reason: too dear',
  })
})

test('siblings that need nobody run while the human thinks', () => {
  asked('pay', 'search')
    .when(completes(1))
    .gives({ state: 'approval', status: 'waiting', timeout: 'cleared' })
    .when(approves(0, 'pay'))
    .gives({ state: 'tools', effects: ['3 tool.call pay'], timeout: 60_000 })
})

test('a human who answers before the siblings have finished', () => {
  asked('search', 'pay')
    .when(approves(1, 'pay'))
    .gives({ state: 'tools', status: 'running', effects: ['3 tool.call pay'] })
    .when(completes(1))
    .gives({ state: 'tools' })
    .when(completes(0))
    .gives({ state: 'model', effects: ['4 model.call'] })
})

test('several approvals come in any order', () => {
  asked('pay:a', 'pay:b', 'pay:c')
    .when(approves(2, 'pay'))
    .gives({ state: 'approval', status: 'running', effects: ['2 tool.call pay'], timeout: 60_000 })
    .when(rejects(0, 'pay'))
    .gives({ state: 'approval', status: 'running', verdicts: ['call.denied denied pay'] })
    .when(completes(2))
    .gives({ state: 'approval', status: 'waiting', timeout: 'cleared' })
    .when(approves(1, 'pay'))
    .gives({ state: 'tools', effects: ['3 tool.call pay'], timeout: 60_000 })
})

test('a second answer about the same call changes nothing', () => {
  asked('pay:a', 'pay:b')
    .and(approves(0, 'pay'))
    .when(rejects(0, 'pay'))
    .gives({ state: 'approval', verdicts: ['event.ignored ignored'] })
    .when(approves(0, 'pay'))
    .gives({ state: 'approval', verdicts: ['event.ignored ignored'] })
})

test.each(['search', 'fly', 'rm'])(
  'an approval that speaks of %s is about another call than was asked: the run goes on waiting',
  (tool) => {
    asked('pay')
      .when(approves(0, tool))
      .gives({ state: 'approval', status: 'waiting', verdicts: ['event.ignored ignored'] })
      .when(approves(0, 'pay'))
      .gives({ state: 'tools', effects: ['2 tool.call pay'], timeout: 60_000 })
  },
)

test('a cancel while the human thinks ends the run at once', () => {
  asked('pay')
    .when(cancels())
    .gives({
      state: 'cancelled',
      path: ['approval', 'cancelling', 'cancelled'],
      outcome: 'cancelled',
    })
})

test('an approved call whose outcome is unknown waits in the same place', () => {
  asked('pay:a', 'pay:b')
    .and(approves(0, 'pay'))
    .when(unknown(0))
    .gives({ state: 'approval', status: 'waiting', timeout: 'cleared' })
    .when(rejects(1, 'pay'))
    .gives({ state: 'tools', status: 'waiting', verdicts: ['call.denied denied pay'] })
})

test.each([
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
])(
  'three calls answered in the order %i, %i, %i: each gets its own effect and its own result',
  (...order) => {
    let story = asked('pay:0', 'pay:1', 'pay:2')
    for (const n of order) story = story.and(approves(n, 'pay'))
    for (const n of order.toReversed()) story = story.and(completes(n))
    expect(story.state.name).toBe('model')
    expect(story.prompt().slice(2)).toEqual(
      [0, 1, 2].map((n) => `result c_0123456789ab_1_${n} pay: result ${n}`),
    )
  },
)
