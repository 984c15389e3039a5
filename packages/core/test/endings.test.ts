/** How runs end: one test per outcome (DESIGN §2). */
import { describe, expect, test } from 'vitest'
import { Outcome } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import {
  aborts,
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  cut,
  faults,
  fires,
  overloaded,
  saysNothing,
  tripped,
} from './support/facts.ts'
import { given } from './support/story.ts'

const started = (patch: Parameters<typeof agentWith>[0] = {}) =>
  given(agentWith(patch), created, admitted)

test('completed: the model answered', () => {
  started()
    .and(asks('search'))
    .and(completes(0))
    .when(answers())
    .gives({ state: 'completed', outcome: 'completed', timeout: 'cleared' })
})

test('safety_stopped: the provider stopped; what it took is recorded, its arguments are not', () => {
  const story = started()
    .when(saysNothing(cut('safety', 2)))
    .gives({
      state: 'completed',
      path: ['model', 'safety', 'completed'],
      outcome: 'safety_stopped',
      verdicts: ['safety.suppressed suppressed'],
      timeout: 'cleared',
    })
  expect(story.decision.verdicts[0]?.payload).toEqual({
    turn: 1,
    messageId: 'm_0123456789ab_1',
    evidence: [{ detector: 'd', field: 'finish_reason', value: 'content_filter' }],
    calls: [
      { name: 'write', argsBytes: 7, argsHmac: 'ab' },
      { name: 'write', argsBytes: 7, argsHmac: 'ab' },
    ],
    explanation:
      '[The provider stopped this answer for safety (finish_reason=content_filter, d). It returned no content. 2 tool calls were not executed, because the arguments may be cut off. Rephrasing the request may help.]',
    context: 'keep',
  })
})

test('a close that is not believed is recorded with its reason, and the answer says no word of it', () => {
  const reason = { code: 'end_marker_missing', detail: 'Set model.endMarker to "optional".' }
  const once = { modelRetries: { max: 0, baseMs: 0, capMs: 0 } }
  const ends = {
    state: 'failed',
    outcome: 'interrupted',
    verdicts: ['turn.cut interrupted'],
    timeout: 'cleared',
  } as const
  const story = started(once)
    .when(saysNothing({ ...cut('interrupted'), cut: reason }))
    .gives(ends)
  expect(story.decision.verdicts[0]).toMatchObject({
    type: 'turn.cut',
    payload: {
      verdict: 'interrupted',
      reason,
      explanation:
        "[The provider's stream broke off. 1 tool call was not executed, because the arguments may be cut off.]",
    },
  })
  const other = started(once)
    .when(saysNothing(cut('interrupted')))
    .gives(ends)
  expect(other.decision.verdicts[0]?.payload).not.toHaveProperty('reason')
})

test.each([
  ['refused', 'refusal', 'completed'],
  ['length_stopped', 'length', 'completed'],
  ['failed', 'unknown_terminal', 'failed'],
] as const)('%s: a turn with the verdict %s', (outcome, verdict, state) => {
  started()
    .when(answers(cut(verdict)))
    .gives({ state, outcome, verdicts: [`turn.cut ${verdict}`], timeout: 'cleared' })
})

test('interrupted: the stream broke once more than it may', () => {
  started({ modelRetries: { max: 1 } })
    .when(answers(cut('interrupted', 0)))
    .gives({
      state: 'model',
      effects: ['2 model.call after 1000'],
      verdicts: ['model.retried network'],
    })
    .when(answers(cut('interrupted', 0)))
    .gives({
      state: 'failed',
      path: ['model', 'safety', 'failed'],
      outcome: 'interrupted',
      verdicts: ['turn.cut interrupted'],
      timeout: 'cleared',
    })
})

test('failed: the provider refused the request in a way that will not change', () => {
  started()
    .when(answers(overloaded({ class: 'auth', retryable: false })))
    .gives({ state: 'failed', outcome: 'failed', verdicts: ['turn.cut error'], timeout: 'cleared' })
})

describe('budget_exhausted', () => {
  test('turns: no model call beyond the last', () => {
    const story = started({ limits: { maxTurns: 2 } })
      .and(asks('search:a'))
      .and(completes(0))
      .and(asks('search:b'))
      .when(completes(0))
      .gives({
        state: 'completed',
        path: ['tools', 'loop', 'completed'],
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted turns'],
        timeout: 'cleared',
      })
    expect(story.decision.verdicts[0]?.payload).toEqual({
      budget: 'turns',
      used: 2,
      limit: 2,
      messageId: 'm_0123456789ab_3',
      text: expect.stringMatching(/^\[BUDGET EXHAUSTED\] .* 2 of 2 turns/),
    })
  })

  test('calls: a turn that would exceed the limit executes nothing', () => {
    const story = started({ limits: { maxToolCalls: 2 } })
      .and(asks('search:a'))
      .and(completes(0))
      .when(asks('search:b', 'search:c'))
      .gives({
        state: 'completed',
        path: ['model', 'safety', 'guardrail', 'completed'],
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted calls'],
        timeout: 'cleared',
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      budget: 'calls',
      used: 3,
      limit: 2,
      messageId: 'm_0123456789ab_2',
    })
  })

  test('calls: exactly the limit may run, denied calls count', () => {
    started({ limits: { maxToolCalls: 2 } })
      .when(asks('search', 'rm'))
      .gives({
        state: 'tools',
        effects: ['2 tool.call search'],
        verdicts: ['call.denied denied rm'],
      })
      .and(completes(0))
      .when(asks('search'))
      .gives({
        state: 'completed',
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted calls'],
        timeout: 'cleared',
      })
  })

  test('tokens: what is used counts, retries included, before the next model call', () => {
    const usage = { inputTokens: 40, outputTokens: 10 }
    const story = started({ limits: { maxTokens: 65 } })
      .and(answers({ ...overloaded(), usage }))
      .and(asks('search'))
      .when(completes(0))
      .gives({
        state: 'completed',
        outcome: 'budget_exhausted',
        verdicts: ['budget.exhausted tokens'],
        timeout: 'cleared',
      })
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      budget: 'tokens',
      used: 65,
      limit: 65,
    })
  })

  test('one token less, and the run goes on', () => {
    started({ limits: { maxTokens: 16, warnAt: 1 } })
      .and(asks('search'))
      .when(completes(0))
      .gives({ state: 'model', effects: ['3 model.call'] })
  })
})

test('loop_stopped: the set that is one short of the limit is never executed again', () => {
  const story = started({ loop: { warnThreshold: 2, hardLimit: 2 } })
    .and(asks('search:x'))
    .and(completes(0))
    .when(asks('search:x'))
    .gives({
      state: 'completed',
      path: ['model', 'safety', 'guardrail', 'completed'],
      outcome: 'loop_stopped',
      verdicts: ['loop.stopped stopped'],
      timeout: 'cleared',
    })
  expect(story.decision.verdicts[0]?.payload).toMatchObject({ tools: ['search'], count: 2 })
})

test('cancelled: nothing was open', () => {
  given(agentWith(), created)
    .when(cancels())
    .gives({
      state: 'cancelled',
      path: ['queued', 'cancelling', 'cancelled'],
      outcome: 'cancelled',
    })
})

test('rolled_back: a cancel that takes the run back', () => {
  given(agentWith(), created)
    .when(cancels('rollback'))
    .gives({ state: 'cancelled', outcome: 'rolled_back' })
})

test('timed_out: the run was active for too long', () => {
  started({ limits: { timeoutMs: 5_000 } })
    .and(asks('search'))
    .after(5_000)
    .when(fires())
    .gives({ state: 'cancelling', status: 'running', path: ['tools', 'cancelling'] })
    .when(aborts(0))
    .gives({ state: 'cancelled', outcome: 'timed_out', timeout: 'cleared' })
})

test('failed: a run that cannot be decided', () => {
  started()
    .when(faults)
    .gives({ state: 'failed', path: ['model', 'failed'], outcome: 'failed', timeout: 'cleared' })
})

test('guardrail_stopped: a stream guardrail said stop', () => {
  started()
    .when(answers(tripped('stop')))
    .gives({
      state: 'completed',
      path: ['model', 'safety', 'completed'],
      outcome: 'guardrail_stopped',
      verdicts: ['guardrail.stopped g'],
      timeout: 'cleared',
    })
})

test('every outcome is told of above', () => {
  const told = new Set<string>(
    'completed safety_stopped refused length_stopped interrupted failed'.split(' '),
  )
  for (const each of ['budget_exhausted', 'loop_stopped', 'cancelled', 'rolled_back', 'timed_out'])
    told.add(each)
  told.add('guardrail_stopped')
  expect(Outcome.options.filter((outcome) => !told.has(outcome))).toEqual([])
})
