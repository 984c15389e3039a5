/** Policies with I/O: the calls of a turn wait in `guardrail` until they answer, and nothing runs before (I10). */
import { describe, expect, test } from 'vitest'
import { agentWith, asked } from './support/agent.ts'
import {
  admitted,
  answers,
  argsHashOf,
  asks,
  cancels,
  completes,
  created,
  faults,
  fires,
  run,
} from './support/facts.ts'
import { approves, judged, policiesSay, rejects } from './support/permissions.ts'
import { given } from './support/story.ts'

const agent = agentWith({ guardrails: { policies: [asked] }, limits: { timeoutMs: 60_000 } })
const started = () => given(agent, created, admitted)
const ignored = ['event.ignored ignored']

test('the policies are asked first, about what no list has denied', () => {
  const story = started()
    .when(asks('search', 'rm', 'pay'))
    .gives({
      state: 'guardrail',
      status: 'running',
      path: ['model', 'safety', 'guardrail'],
      effects: ['2 policy.evaluate'],
      verdicts: ['call.denied denied rm'],
    })
  expect(story.decision.effects).toMatchObject([
    {
      mode: 'read',
      queue: 'policy',
      source: `${run}.1`,
      callIds: ['c_0123456789ab_1_0', 'c_0123456789ab_1_2'],
    },
  ])
})

test('allow, ask and deny in one turn: each call goes its own way', () => {
  const story = started()
    .and(asks('search:a', 'write:b', 'search:c'))
    .when(
      policiesSay(
        judged(0, 'search:a', 'allow'),
        judged(1, 'write:b', 'require_approval'),
        judged(2, 'search:c', 'deny'),
      ),
    )
    .gives({
      state: 'approval',
      status: 'running',
      path: ['guardrail', 'approval'],
      effects: ['3 tool.call search'],
      verdicts: ['approval.requested asked write', 'call.denied denied search'],
    })
  expect(story.decision.verdicts.map(({ payload }) => payload)).toMatchObject([
    { policyId: 'opa', policyDigest: 'sha256:1', reason: 'The policy says require_approval.' },
    { code: 'x.deny', message: 'The policy says deny.', policyId: 'opa' },
  ])
  story
    .when(approves(1, 'write'))
    .gives({ state: 'tools', effects: ['4 tool.call write'] })
    .and(completes(0))
    .when(completes(1))
    .gives({ state: 'model', effects: ['5 model.call'] })
})

test.each([
  ['allow', 'approval.requested asked pay', 'approval', 'waiting', {}],
  ['require_approval', 'approval.requested asked pay', 'approval', 'waiting', {}],
  ['deny', 'call.denied denied pay', 'model', 'running', { effects: ['3 model.call'] }],
] as const)(
  'a call that a list wants approved, and the policies %s: deny beats approval beats allow',
  (word, verdict, state, status, more) => {
    started()
      .and(asks('pay:1'))
      .when(policiesSay(judged(0, 'pay:1', word)))
      .gives({
        state,
        status,
        verdicts: [verdict],
        ...more,
        ...(status === 'waiting' ? { timeout: 'cleared' } : {}),
      })
  },
)

test('all allowed: they run, with the hash that was judged', () => {
  const story = started()
    .and(asks('search:a', 'write:b'))
    .when(policiesSay(judged(1, 'write:b', 'allow'), judged(0, 'search:a', 'allow')))
    .gives({
      state: 'tools',
      path: ['guardrail', 'tools'],
      effects: ['3 tool.call search', '4 tool.call write'],
    })
  expect(story.state.context.policy).toBe(0)
  expect(story.decision.effects).toMatchObject([
    { argsHash: argsHashOf('a'), source: `${run}.1` },
    { argsHash: argsHashOf('b'), source: `${run}.1` },
  ])
})

test('all denied: the model reads why, in its next turn', () => {
  started()
    .and(asks('search'))
    .when(policiesSay(judged(0, 'search', 'deny')))
    .gives({
      state: 'model',
      path: ['guardrail', 'tools', 'loop', 'model'],
      effects: ['3 model.call'],
      verdicts: ['call.denied denied search'],
    })
})

test('nothing is asked where the lists have denied everything', () => {
  started()
    .when(asks('rm', 'fly'))
    .gives({
      state: 'model',
      path: ['model', 'safety', 'guardrail', 'tools', 'loop', 'model'],
      effects: ['2 model.call'],
      verdicts: ['call.denied denied rm', 'call.denied denied fly'],
    })
})

describe('silence allows nothing', () => {
  test('a call the answer leaves out is denied', () => {
    const story = started()
      .and(asks('search:a', 'search:b'))
      .when(policiesSay(judged(0, 'search:a', 'allow')))
      .gives({
        state: 'tools',
        effects: ['3 tool.call search'],
        verdicts: ['call.denied denied search'],
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({ code: 'oap.evaluator_error' })
  })

  test('an answer about no call at all denies all of them', () => {
    started()
      .and(asks('search:a', 'search:b'))
      .when(policiesSay())
      .gives({
        state: 'model',
        effects: ['3 model.call'],
        verdicts: ['call.denied denied search', 'call.denied denied search'],
      })
  })

  test.each(['allow', 'require_approval', 'deny'] as const)(
    'an answer that names the call otherwise is about another: denied, though it says %s',
    (word) => {
      const story = started()
        .and(asks('search'))
        .when(policiesSay(judged(0, 'write', word)))
        .gives({
          state: 'model',
          effects: ['3 model.call'],
          verdicts: ['call.denied denied search'],
        })
      expect(story.decision.effects.every(({ kind }) => kind === 'model.call')).toBe(true)
    },
  )
})

describe('an answer nobody waits for changes nothing', () => {
  const allow = policiesSay(judged(0, 'search', 'allow'))
  const waiting = started().and(asks('search'))

  test('twice', () => {
    waiting.and(allow).when(allow).gives({ state: 'tools', verdicts: ignored })
  })

  test('twice in one batch', () => {
    waiting
      .when(allow, allow)
      .gives({ state: 'tools', effects: ['3 tool.call search'], verdicts: ignored })
  })

  test('of another effect', () => {
    waiting
      .when((known) => {
        const fact = allow(known)
        if (fact.type !== 'policy.answered') return fact
        return { ...fact, payload: { ...fact.payload, effectId: `${run}.1` } }
      })
      .gives({ state: 'guardrail', verdicts: ignored })
  })

  test('of an earlier turn', () => {
    const later = waiting.and(allow).and(completes(0)).and(asks('search:z'))
    later
      .when((known) => {
        const fact = allow(known)
        if (fact.type !== 'policy.answered') return fact
        return { ...fact, payload: { ...fact.payload, effectId: `${run}.2` } }
      })
      .gives({ state: 'guardrail', verdicts: ignored })
  })

  test('after a cancel: nothing runs any more', () => {
    waiting
      .when(cancels())
      .gives({
        state: 'cancelled',
        path: ['guardrail', 'cancelling', 'cancelled'],
        outcome: 'cancelled',
        timeout: 'cleared',
      })
      .when(allow)
      .gives({ state: 'cancelled', outcome: 'cancelled', verdicts: ignored })
  })

  test('a human cannot answer before the policies have', () => {
    started()
      .and(asks('pay'))
      .when(approves(0, 'pay'))
      .gives({ state: 'guardrail', verdicts: ignored })
      .when(rejects(0, 'pay'))
      .gives({ state: 'guardrail', verdicts: ignored })
  })
})

test('the time of a run goes on while policies are asked, and may end it there', () => {
  started()
    .and(asks('search'))
    .after(60_000)
    .when(fires())
    .gives({
      state: 'cancelled',
      path: ['guardrail', 'cancelling', 'cancelled'],
      outcome: 'timed_out',
      timeout: 'cleared',
    })
})

test('a fault while policies are asked ends the run', () => {
  const story = started().and(asks('search')).and(faults)
  expect(story.state).toMatchObject({ name: 'failed', context: { open: {}, policy: 0 } })
})

test('what a human approved for the run, he is not asked again, whichever policy wants it', () => {
  started()
    .and(asks('write:1'))
    .and(policiesSay(judged(0, 'write:1', 'require_approval')))
    .and(approves(0, 'write', 'run'))
    .and(completes(0, 'first'))
    .and(asks('write:1', 'write:2'))
    .when(
      policiesSay(
        judged(0, 'write:1', 'require_approval'),
        judged(1, 'write:2', 'require_approval'),
      ),
    )
    .gives({
      state: 'approval',
      status: 'running',
      effects: ['6 tool.call write'],
      verdicts: ['approval.reused run write', 'approval.requested asked write'],
    })
})

test('a loop is stopped before any policy is asked', () => {
  const looping = agentWith({
    guardrails: { policies: [asked] },
    loop: { warnThreshold: 1, hardLimit: 1 },
  })
  given(looping, created, admitted)
    .when(asks('search'))
    .gives({
      state: 'completed',
      outcome: 'loop_stopped',
      verdicts: ['loop.stopped stopped'],
      timeout: 'cleared',
    })
})

test('a cut answer asks no policy', () => {
  started()
    .when(answers({ verdict: 'safety' }))
    .gives({
      state: 'completed',
      outcome: 'safety_stopped',
      verdicts: ['safety.suppressed suppressed'],
      timeout: 'cleared',
    })
})
