/**
 * Sentences of explanations, compared with what the decision looked at and with what can have happened. Would catch: a check that
 * was not made, a policy that wanted something else than it is told to want, a wait for somebody who is not asked any more, an
 * execution in a rerun, words of a model that a reader of the page would obey.
 */
import { describe, expect, test } from 'vitest'
import { explainRun, explanationPage } from '../../src/index.ts'
import { agentWith, asked, type Patch } from '../support/agent.ts'
import {
  aborts,
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  fails,
  type Move,
  toolCall,
} from '../support/facts.ts'
import { approves, judged, policiesSay, policyAnswer } from '../support/permissions.ts'
import { checker } from '../support/plays.ts'
import { expectSound } from './sound.ts'
import { begins, type Item, late, told as explain } from './told.ts'

const begunWith = (patch: Patch, ...items: readonly Item[]) => {
  const story = explain(agentWith(patch), created, admitted, ...items)
  expectSound(story.explained, story.events)
  return story
}
const begun = (...items: readonly Item[]) => begunWith({}, ...items)

/** The run is a rerun. */
const repeats: Move = (known) => {
  const fact = created(known)
  if (fact.type !== 'run.created') return fact
  return { ...fact, payload: { ...fact.payload, rerun: { runId: 'other' } } }
}
const repeated = (...items: readonly Item[]) => {
  const story = explain(agentWith(), repeats, admitted, ...items)
  expectSound(story.explained, story.events)
  return story
}

describe('budgets', () => {
  test('a call that runs though the tokens are used up is not told to be within every budget', () => {
    const story = begunWith({ limits: { maxTokens: 1 } }, asks('search'), begins(0), completes(0))
    expect(story.explained.run.outcome).toBe('budget_exhausted')
    expect(story.call(0).ran).toBe('ran')
    const check = story.call(0).checks.find((each) => each.check === 'budget')
    expect(check).toMatchObject({ verdict: 'no_objection' })
    // Calls are compared before they run; turns, tokens and money before the next turn (docs/budgets.md).
    expect(check?.says).not.toMatch(/No budget of the run/)
    expect(check?.says).toMatch(/calls/)
  })
})

describe('policies', () => {
  const gated = { guardrails: { policies: [asked], approvalTools: ['pay'] } }

  test('a policy that allowed is not told to have wanted a person, where a list did', () => {
    const items = [asks('pay:x'), policiesSay(judged(0, 'pay:x', 'allow'))]
    const story = begunWith(gated, ...items, approves(0, 'pay'), begins(0), completes(0))
    const policies = story.call(0).checks.filter((each) => each.check === 'policy')
    const wants = policies.filter(({ verdict }) => verdict === 'require_approval')
    expect(wants).toHaveLength(1)
    expect(wants[0]?.says).not.toContain('opa')
    expect(wants).toMatchObject([{ policy_id: null, policy_digest: null, reasons: [] }])
    // The list did object: it wants a person.
    expect(policies.map(({ says }) => says).join()).not.toMatch(/raised no objection/)
    expect(story.call(0).why).toContain('approved exactly these arguments')
  })

  test('a policy that wants a person is told so', () => {
    const items = [asks('search:x'), policiesSay(judged(0, 'search:x', 'require_approval'))]
    const story = begunWith({ guardrails: { policies: [asked] } }, ...items)
    const wants = story
      .call(0)
      .checks.flatMap((each) =>
        each.check === 'policy' && each.verdict === 'require_approval' ? [each.policy_id] : [],
      )
    expect(wants).toEqual(['opa'])
  })
})

describe('a run that is to end, and has not yet', () => {
  test('asks no person any more', () => {
    const story = begun(asks('search', 'pay'), begins(0), cancels())
    expect(story.explained.run.outcome).toBeNull()
    expect(story.call(1)).toMatchObject({ ran: 'did_not_run', end: 'cut_off' })
    expect(story.call(1).why).not.toMatch(/waits|run ended/)
    expect(story.call(0)).toMatchObject({ ran: 'unknown', end: 'running' })
  })

  test('offers no call to workers any more', () => {
    const story = begun(asks('search', 'write'), begins(0), cancels())
    expect(story.call(1)).toMatchObject({ ran: 'did_not_run', end: 'never_started' })
    expect(story.call(1).why).not.toMatch(/waits|run ended/)
  })

  test('nothing waits in a run that ends, whatever happened before', () => {
    checker(150)(({ world }) => {
      const last = world.log.findLast(({ type }) => type === 'run.transitioned')
      const path = last?.payload['path']
      const state = Array.isArray(path) ? path.at(-1) : null
      if (!['cancelling', 'cancelled', 'completed', 'failed'].includes(String(state))) return
      for (const { end, why } of explainRun({ runId: 'r', threadId: 't' }, world.log).calls) {
        expect(end).not.toMatch(/^waiting/)
        expect(why).not.toMatch(/It waits/)
      }
    })
  })
})

const recallOf: (n: number) => (known: Parameters<Move>[0]) => {
  effectId: string
  attempt: number
  callId: string
} = (n) => (known) => {
  const call = known.effects.filter((each) => each.kind === 'tool.recall')[n]
  return { effectId: call?.id ?? '', attempt: 1, callId: call?.callId ?? '' }
}

const recalled: Move = (known) => ({
  type: 'tool.denied',
  payload: {
    ...recallOf(0)(known),
    tool: 'search',
    answer: policyAnswer('deny', 'rejected'),
    configuration: 'pinned',
    recalled: { runId: 'other', seq: 9 },
  },
})

const missed: Move = (known) => ({
  type: 'recall.missed',
  payload: {
    ...recallOf(0)(known),
    tool: 'search',
    argsHash: 'h',
    reason: 'never_made',
    recorded: 0,
  },
})

describe('a rerun', () => {
  test('a denial that the log recalls was made there: nobody was asked again', () => {
    const story = repeated(asks('search'), begins(0), recalled)
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'recalled' })
    expect(story.call(0).why).not.toMatch(/Asked again|right before/)
    expect(story.call(0).why).toContain('event #9 of the run other')
    expect(story.call(0).checks.at(-1)).toMatchObject({
      check: 'outcome',
      recalled_from: { run_id: 'other', seq: 9 },
      code: 'rejected',
    })
  })

  test.each([
    ['is cancelled while a result is looked up', [cancels(), aborts(0)]],
    ['has looked twice, and is cancelled', [begins(0, 2), cancels(), aborts(0)]],
  ])('executes nothing, also if it %s', (_name, items) => {
    const story = repeated(asks('search'), begins(0), ...items)
    expect(story.call(0).ran).toBe('did_not_run')
  })

  test('executes nothing, also if a word of it comes late', () => {
    const story = repeated(asks('search', 'write'), begins(0), begins(1), missed)
    expect(story.explained.run.outcome).toBe('failed')
    expect(story.call(1).ran).toBe('did_not_run')
    // An attempt of it did begin: to look it up.
    expect(story.call(1).why).not.toMatch(/before an attempt of it began/)
  })
})

const failsWith =
  (n: number, code: string): Move =>
  (known) => {
    const fact = fails(n)(known)
    if (fact.type !== 'tool.failed') return fact
    return { ...fact, payload: { ...fact.payload, error: { code, message: 'm' } } }
  }

/** So is recorded a `once` call whose server died in the middle: nobody told it anything. */
const lost: Move = (known) => ({
  type: 'tool.unknown',
  payload: { ...toolCall(known, 0), reason: 'not_settled' },
})

describe('what is not a failure of the tool', () => {
  test.each(['mcp_connection_lost', 'tool_host'])(
    '%s: whether the call took effect is not known',
    (code) => {
      const story = begun(asks('search'), begins(0), failsWith(0, code))
      expect(story.call(0)).toMatchObject({ ran: 'unknown' })
      expect(story.call(0).why).toMatch(/^It is not known whether it ran\..*\(#8\)/)
    },
  )

  test('a call whose outcome is unknown need not have been told to stop', () => {
    const story = begun(asks('write'), begins(0), lost)
    expect(story.call(0)).toMatchObject({ ran: 'unknown', end: 'unknown' })
    expect(story.call(0).why).not.toMatch(/told to stop/)
  })

  test('a late word that the call was denied is no result', () => {
    const story = begun(asks('search'), begins(0), cancels(), aborts(0), late(0, 'tool.denied'))
    expect(story.call(0).why).not.toMatch(/A result arrived/)
  })
})

describe('answers', () => {
  test.each([
    ['circuit_open', 'circuit_open'],
    ['internal', 'invalid_request'],
    ['network', 'network'],
  ] as const)('%s: no provider ended an answer that none had begun', (kind, cls) => {
    const error = { class: cls, kind, retryable: false, message: '' }
    const story = begun(
      answers({ verdict: 'error', message: { id: 'm', role: 'assistant', parts: [] }, error }),
    )
    const [answer] = story.explained.answers
    expect(answer?.says).not.toMatch(/the provider ended/)
    expect(answer?.says).toContain(kind)
  })
})

describe('the page', () => {
  test.each(['<!--', '![x](//evil.example/p.png)', '<img src=x>', '[a](//b)', '`` ` ``'])(
    'shows the tool that a model named %s, and obeys nothing of it',
    (name) => {
      const [, page = ''] =
        /\n## Calls\n([^]*)\n---\n/.exec(explanationPage(begun(asks(name)).explained)) ?? []
      // Markdown reads these as a comment, an image, a tag, a link or code, unless they are escaped.
      expect(page).not.toMatch(/(?<!\\)(?:\\\\)*<[!/a-z]/i)
      expect(page).not.toMatch(/(?<!\\)[[\]`]/)
      expect(page).toContain('DID NOT RUN (denied)')
    },
  )
})
