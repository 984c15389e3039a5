/** The arrows of the machine (DESIGN §2), one by one, from `queued` to the next turn. */
import { expect, test } from 'vitest'
import { agentWith } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  asksOddly,
  completes,
  created,
  cut,
  fails,
} from './support/facts.ts'
import { given } from './support/story.ts'

const agent = agentWith()
const started = () => given(agent, created, admitted)

test('a created run is queued, asks for nothing, and its time does not count', () => {
  given(agent)
    .when(created)
    .gives({ state: 'queued', status: 'queued', path: ['queued'] })
})

test('queued → model: an admitted run asks the model, and its time begins', () => {
  given(agent, created)
    .when(admitted)
    .gives({
      state: 'model',
      status: 'running',
      path: ['queued', 'model'],
      effects: ['1 model.call'],
      timeout: 3_600_000,
    })
})

test('created and admitted in one batch are one decision', () => {
  given(agent)
    .when(created, admitted)
    .gives({ state: 'model', effects: ['1 model.call'], timeout: 3_600_000 })
})

test('model → safety → completed: an answer without calls is the end', () => {
  started()
    .when(answers())
    .gives({
      state: 'completed',
      status: 'ended',
      outcome: 'completed',
      path: ['model', 'safety', 'completed'],
      timeout: 'cleared',
    })
})

test('safety → guardrail → tools: calls that may run are effects, each with an id of its own', () => {
  const story = started()
    .when(asks('search:a', 'write:b'))
    .gives({
      state: 'tools',
      status: 'running',
      path: ['model', 'safety', 'guardrail', 'tools'],
      effects: ['2 tool.call search', '3 tool.call write'],
    })
  expect(story.decision.effects).toMatchObject([
    { mode: 'read', source: expect.stringMatching(/\.1$/), toolVersion: 'v1', delayMs: 0 },
    { mode: 'once', source: expect.stringMatching(/\.1$/), timeoutMs: 30_000 },
  ])
})

test('tools → loop → model: the next turn begins when the last call has settled, however it did', () => {
  started()
    .and(asks('search:a', 'search:b'))
    .when(fails(1))
    .gives({ state: 'tools', status: 'running' })
    .when(completes(0))
    .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['4 model.call'] })
    .when(answers())
    .gives({ state: 'completed', outcome: 'completed', timeout: 'cleared' })
})

test('all calls answered in one batch are one decision', () => {
  started()
    .and(asks('search:a', 'search:b'))
    .when(completes(0), completes(1))
    .gives({ state: 'model', effects: ['4 model.call'] })
})

test('guardrail → approval: a call that needs a human waits for one', () => {
  started()
    .when(asks('pay'))
    .gives({
      state: 'approval',
      status: 'waiting',
      path: ['model', 'safety', 'guardrail', 'approval'],
      verdicts: ['approval.requested asked pay'],
      timeout: 'cleared',
    })
})

test('a call on the deny list never runs, its siblings do', () => {
  const story = started()
    .when(asks('rm', 'search'))
    .gives({
      state: 'tools',
      effects: ['2 tool.call search'],
      verdicts: ['call.denied denied rm'],
    })
  expect(story.decision.verdicts[0]?.payload).toMatchObject({ code: 'oap.tool_not_allowed' })
  story.when(completes(1)).gives({ state: 'model', effects: ['3 model.call'] })
})

test('deny beats approval: a tool on both lists is denied', () => {
  const both = agentWith({ guardrails: { deniedTools: ['pay'] } })
  given(both, created, admitted)
    .when(asks('pay', 'search'))
    .gives({
      state: 'tools',
      effects: ['2 tool.call search'],
      verdicts: ['call.denied denied pay'],
    })
})

test('with a list of allowed tools, everything else is denied', () => {
  const strict = agentWith({ guardrails: { allowedTools: ['search'] } })
  const story = given(strict, created, admitted)
    .when(asks('search', 'write'))
    .gives({
      state: 'tools',
      effects: ['2 tool.call search'],
      verdicts: ['call.denied denied write'],
    })
  expect(story.decision.verdicts[0]?.payload).toMatchObject({ code: 'oap.tool_not_allowed' })
})

test.each([
  ['unknown tool', 'unknown_tool', 'fly', {}],
  [
    'invalid arguments',
    'arguments_invalid',
    'search',
    { invalid: { code: 'arguments_invalid', message: 'x' } },
  ],
  ['an id of another turn', 'invalid_call_id', 'search', { id: 'c_23456789ab_7_0' }],
  ['an id of no turn', 'invalid_call_id', 'search', { id: 'call_XyZ' }],
  ['an index spelt otherwise', 'invalid_call_id', 'search', { id: 'c_0123456789ab_1_00' }],
  ['an index with a fraction', 'invalid_call_id', 'search', { id: 'c_0123456789ab_1_1.5' }],
  ['an index beyond the last', 'invalid_call_id', 'search', { id: 'c_0123456789ab_1_64' }],
  ['an index that is none', 'invalid_call_id', 'search', { id: 'c_0123456789ab_1___proto__' }],
])('%s: the call is denied, its siblings run', (_, code, name, patch) => {
  const story = started()
    .when(asksOddly([name, 'write'], (part, n) => (n === 0 ? { ...part, ...patch } : part)))
    .gives({
      state: 'tools',
      effects: ['2 tool.call write'],
      verdicts: [`call.denied denied ${name}`],
    })
  expect(story.decision.verdicts[0]?.payload).toMatchObject({ code })
  story.when(completes(1)).gives({ state: 'model', effects: ['3 model.call'] })
})

test('two calls with one id: the first runs, the second could never settle and is denied', () => {
  started()
    .when(asksOddly(['search:a', 'search:b'], (part) => ({ ...part, id: 'c_0123456789ab_1_0' })))
    .gives({
      state: 'tools',
      effects: ['2 tool.call search'],
      verdicts: ['call.denied denied search'],
    })
    .when(completes(0))
    .gives({ state: 'model', effects: ['3 model.call'] })
})

test('all calls denied: the model reads why, at once, in its next turn', () => {
  started()
    .when(asks('rm:a', 'rm:b'))
    .gives({
      state: 'model',
      path: ['model', 'safety', 'guardrail', 'tools', 'loop', 'model'],
      effects: ['2 model.call'],
      verdicts: ['call.denied denied rm', 'call.denied denied rm'],
    })
})

const many = (n: number) => Array.from({ length: n }, (_, i) => `search:${i}`)

test('64 calls in a turn may run; of 65 none does', () => {
  const often = agentWith({ loop: { toolFreqWarn: 120, toolFreqHardLimit: 120 } })
  const calm = given(often, created, admitted)
  const most = calm.and(asks(...many(64)))
  expect(most.decision.effects).toHaveLength(64)
  const more = calm.and(asks(...many(65)))
  expect(more.state.name).toBe('model')
  expect(more.decision.effects.map((effect) => effect.kind)).toEqual(['model.call'])
  expect(more.decision.verdicts).toHaveLength(65)
  expect(more.decision.verdicts[64]?.payload).toMatchObject({ code: 'too_many_calls' })
})

test('only `complete` gets past safety: calls that a broken adapter left in a cut turn never run (I23)', () => {
  const withCall = asks('search')
  started()
    .when((known) => {
      const fact = withCall(known)
      if (fact.type !== 'model.completed') return fact
      const turn = { ...fact.payload.turn, ...cut('safety') }
      return { ...fact, payload: { ...fact.payload, turn } }
    })
    .gives({
      state: 'completed',
      outcome: 'safety_stopped',
      verdicts: ['safety.suppressed suppressed'],
      timeout: 'cleared',
    })
})
