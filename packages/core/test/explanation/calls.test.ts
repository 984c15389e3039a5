/**
 * Given, when, then, over events: each way a call may end, with the checks in the order in which they were made and the event
 * that proves each. Would catch: a call that is told as executed and was not, a denial without its policy, an approval
 * without the person, a check that cites another event.
 */
import { describe, expect, test } from 'vitest'
import { todoTool } from '../../src/index.ts'
import { passport, spec } from '../../../policies/test/passport/passports.ts'
import { agentWith, asked, type Patch } from '../support/agent.ts'
import { callRefused, ends, parentWith, starts } from '../support/children.ts'
import {
  aborts,
  admitted,
  answers,
  argsHashOf,
  asks,
  asksOddly,
  callId,
  cancels,
  completes,
  created,
  cut,
  fails,
  faults,
  fires,
  type Move,
  resolves,
  says,
  toolCall,
  tripped,
  unknown,
} from '../support/facts.ts'
import {
  approves,
  approvesHere,
  deniedAtDispatch,
  edits,
  expires,
  judged,
  policiesSay,
  rejects,
} from '../support/permissions.ts'
import { curiousAgent, questionExpires, tells, wonders } from '../support/questions.ts'
import { expectSound } from './sound.ts'
import { begins, type Item, late, told as explain } from './told.ts'

const told = (agent: ReturnType<typeof agentWith>, ...items: readonly Item[]) => {
  const story = explain(agent, ...items)
  expectSound(story.explained, story.events)
  return story
}
const begun = (...items: readonly Item[]) => told(agentWith(), created, admitted, ...items)
const begunWith = (patch: Patch, ...items: readonly Item[]) =>
  told(agentWith(patch), created, admitted, ...items)

/** Events 1 to 4 are `run.created`, `run.admitted` and their decisions; 5 is the first answer, 6 what was decided of it. */
const judgedAt6 = [
  'close complete #5 model.completed',
  'guardrails no_objection #5 model.completed',
  'loop no_objection #6 run.transitioned',
  'budget no_objection #6 run.transitioned',
]
const allowedAt6 = [...judgedAt6, 'policy allow #6 run.transitioned']
const executed = [...allowedAt6, 'dispatch execute #6 run.transitioned']

/** Ann approves the first call, and says why. */
const approvedByAnn: Move = (known) => {
  const fact = approves(0, 'pay')(known)
  if (fact.type !== 'approval.answered') return fact
  return { ...fact, payload: { ...fact.payload, by: { id: 'ann', role: 'lead' }, note: 'Ok.' } }
}

/** A human's "always" stands for the call. */
const asksGranted: Move = (known) => {
  const fact = asks('pay:x')(known)
  if (fact.type !== 'model.completed') return fact
  return { ...fact, payload: { ...fact.payload, granted: [callId(known, 0)] } }
}

/** A guardrail took a token out of the arguments. */
const asksRedacted: Move = (known) => {
  const fact = asks('search:x')(known)
  if (fact.type !== 'model.completed') return fact
  const redaction = {
    guardrail: { id: 'secrets', name: 'Secrets' },
    kind: 'github-token',
    place: 'arguments' as const,
    callId: callId(known, 0),
    tool: 'search',
    count: 1,
  }
  const turn = { ...fact.payload.turn, redactions: [redaction] }
  return { ...fact, payload: { ...fact.payload, turn } }
}

/** The configuration that the worker was started with denies the first call. */
const deniedToday: Move = (known) => {
  const fact = deniedAtDispatch(0, 'search')(known)
  if (fact.type !== 'tool.denied') return fact
  return { ...fact, payload: { ...fact.payload, configuration: 'current' } }
}

/** The first call never began. */
const takenBack: Move = (known) => ({
  type: 'tool.aborted',
  payload: { ...toolCall(known, 0), reason: 'never_started' },
})

/** The run is a rerun. */
const repeats: Move = (known) => {
  const fact = created(known)
  if (fact.type !== 'run.created') return fact
  return { ...fact, payload: { ...fact.payload, rerun: { runId: 'other' } } }
}

/** The recorded result answers. */
const recalls: Move = (known) => {
  const call = known.effects.find((each) => each.kind === 'tool.recall')
  return {
    type: 'tool.completed',
    payload: {
      effectId: call?.id ?? '',
      attempt: 1,
      callId: call?.callId ?? '',
      output: { content: [], isError: false },
      durationMs: 0,
      recalled: { runId: 'other', seq: 9 },
    },
  }
}

describe('a call that ran', () => {
  test('at once: no policy objected', () => {
    const story = begun(asks('search:x'), begins(0), completes(0))
    expect(story.call(0)).toMatchObject({
      tool: 'search',
      args_hash: argsHashOf('x'),
      turn: 1,
      asked: { seq: 5, type: 'model.completed' },
      ran: 'ran',
      end: 'completed',
    })
    expect(story.checks(0)).toEqual([
      ...executed,
      'attempt began #7 effect.started',
      'outcome completed #8 tool.completed',
    ])
    expect(story.call(0).why).toBe(
      'It ran: the answer that asked for it closed positively (#5), and no policy of the pinned definition objected (#6). ' +
        'One attempt began (#7 by worker-1). The tool ran and answered (#8).',
    )
  })

  test('and failed', () => {
    const story = begun(asks('search'), begins(0), fails(0, 'secret words'))
    expect(story.call(0)).toMatchObject({ ran: 'ran', end: 'failed' })
    expect(story.checks(0).at(-1)).toBe('outcome failed #8 tool.failed')
    // The words of a tool may be anything.
    expect(JSON.stringify(story.explained)).not.toContain('secret words')
  })

  test('and was flagged by the audit of its script, here for having none', () => {
    const audit = {
      use: 'bash-audit',
      id: 'bash-audit',
      digest: 'sha256:3',
      edition: 1,
      mode: 'flag',
      tool: 'search',
      isolated: false,
    } as const
    const patch = { guardrails: { policies: [audit] } }
    const story = begunWith(patch, asks('search:x'), begins(0), completes(0))
    expect(story.checks(0)).toContain('policy warn #7 call.flagged')
    const { checks, ran } = story.call(0)
    expect(ran).toBe('ran')
    expect(checks.find(({ check }) => check === 'policy')).toMatchObject({
      policy_id: 'bash-audit',
      policy_digest: 'sha256:3',
      reasons: [{ code: 'bash.empty' }],
    })
  })

  test('as a person approved exactly its arguments', () => {
    const story = begun(asks('pay:x'), approvedByAnn, begins(0), completes(0))
    expect(story.checks(0)).toEqual([
      ...judgedAt6,
      'policy require_approval #7 approval.requested',
      'approval asked #7 approval.requested',
      'approval approved #8 approval.answered',
      'dispatch execute #9 run.transitioned',
      'attempt began #10 effect.started',
      'outcome completed #11 tool.completed',
    ])
    const { checks, why, ran } = story.call(0)
    expect(ran).toBe('ran')
    expect(checks.filter(({ check }) => check === 'approval')).toMatchObject([
      { args_hash: argsHashOf('x'), approval_id: 'a_0123456789ab_1_0' },
      {
        args_hash: argsHashOf('x'),
        by: { id: 'ann', role: 'lead' },
        actor: 'key:default',
        note: 'Ok.',
      },
    ])
    expect(checks.find(({ check }) => check === 'policy')).toMatchObject({ policy_id: 'lists' })
    expect(why).toContain('ann (lead, key:default) approved exactly these arguments (#8)')
  })

  test('with the arguments that a person wrote', () => {
    const story = begun(asks('pay:x'), edits(0, 'pay', 'y'), begins(0), completes(0))
    expect(story.checks(0)).toEqual([
      ...judgedAt6,
      'policy require_approval #7 approval.requested',
      'approval asked #7 approval.requested',
      'approval edited #8 approval.answered',
      'policy allow #9 run.transitioned',
      'dispatch execute #9 run.transitioned',
      'attempt began #10 effect.started',
      'outcome completed #11 tool.completed',
    ])
    expect(story.call(0).args_hash).toBe(argsHashOf('x'))
    expect(story.call(0).checks).toContainEqual(
      expect.objectContaining({ verdict: 'edited', edited_args_hash: argsHashOf('y') }),
    )
    expect(story.call(0).checks).toContainEqual(
      expect.objectContaining({ check: 'dispatch', args_hash: argsHashOf('y') }),
    )
    expect(story.call(0).why).toContain('key:default replaced its arguments and allowed those (#8)')
  })

  test('by an approval for the run: the earlier answer is named', () => {
    const first = [asks('pay:x'), approves(0, 'pay', 'run'), begins(0), completes(0)]
    const story = begun(...first, asks('pay:x'), begins(1), completes(0))
    const { checks, ran, why } = story.call(1)
    expect(ran).toBe('ran')
    expect(checks.find(({ check }) => check === 'approval')).toMatchObject({
      verdict: 'reused',
      scope: 'run',
      earlier: { seq: 8, type: 'approval.answered' },
    })
    expect(why).toContain('an approval that a person had given before stands for it')
  })

  test('by an approval for all runs, which stands in another log', () => {
    const story = begun(asksGranted, begins(0), completes(0))
    expect(story.checks(0).slice(4)).toEqual([
      'policy require_approval #7 approval.reused',
      'approval reused #7 approval.reused',
      'dispatch execute #6 run.transitioned',
      'attempt began #8 effect.started',
      'outcome completed #9 tool.completed',
    ])
    expect(story.call(0).checks).toContainEqual(
      expect.objectContaining({ verdict: 'reused', scope: 'always', earlier: null }),
    )
  })

  test('as a policy with I/O allowed it, by name and digest', () => {
    const patch = { guardrails: { policies: [asked] } }
    const story = begunWith(
      patch,
      asks('search'),
      policiesSay(judged(0, 'search', 'allow')),
      begins(0),
      completes(0),
    )
    expect(story.checks(0)).toEqual([
      ...allowedAt6,
      'policy allow #7 policy.answered',
      'dispatch execute #8 run.transitioned',
      'attempt began #9 effect.started',
      'outcome completed #10 tool.completed',
    ])
    expect(story.call(0).checks).toContainEqual(
      expect.objectContaining({ policy_id: 'opa', policy_digest: 'sha256:1', asked: 'evaluation' }),
    )
    expect(story.call(0).why).toContain('the policy opa allows it (#7)')
  })

  test('with arguments that a guardrail had changed before', () => {
    const story = begun(asksRedacted, begins(0), completes(0))
    expect(story.checks(0)).toEqual([
      'close complete #5 model.completed',
      'guardrails redacted #7 guardrail.redacted',
      ...executed.slice(2),
      'attempt began #8 effect.started',
      'outcome completed #9 tool.completed',
    ])
    expect(story.explained.answers[0]?.guardrails).toMatchObject([
      {
        verdict: 'redacted',
        guardrail: 'secrets',
        kind: 'github-token',
        count: 1,
        proof: { seq: 7 },
      },
    ])
    expect(story.call(0).why).toContain('guardrails took something out of its arguments first (#7)')
  })

  test('after a warning of the loop check', () => {
    const patch = { loop: { warnThreshold: 1, hardLimit: 5 } }
    const story = begunWith(patch, asks('search'), begins(0), completes(0))
    expect(story.checks(0)).toContain('loop warned #7 loop.warned')
    expect(story.call(0)).toMatchObject({ ran: 'ran' })
  })

  test('twice, as the first worker was lost', () => {
    const story = begun(asks('search'), begins(0, 1), begins(0, 2), completes(0))
    expect(story.checks(0).slice(6)).toEqual([
      'attempt began #7 effect.started',
      'attempt began #8 effect.started',
      'outcome completed #9 tool.completed',
    ])
    expect(story.call(0).why).toContain('2 attempts began (#7 by worker-1, #8 by worker-2).')
  })

  test('though nobody knew, as an operator said', () => {
    const story = begun(asks('write'), begins(0), unknown(0), resolves(0, 'happened'))
    expect(story.checks(0).slice(7)).toEqual([
      'outcome unknown #8 tool.unknown',
      'outcome happened #10 tool.resolved',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'ran', end: 'happened' })
  })

  test('though nobody knew: the operator allowed one more attempt', () => {
    const story = begun(
      asks('write'),
      begins(0),
      unknown(0),
      resolves(0, 'retry'),
      begins(0, 2),
      completes(0),
    )
    expect(story.checks(0).slice(7)).toEqual([
      'outcome unknown #8 tool.unknown',
      'outcome retry #10 tool.resolved',
      'dispatch again #11 run.transitioned',
      'attempt began #12 effect.started',
      'outcome completed #13 tool.completed',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'ran', end: 'completed' })
    expect(story.call(0).why).toContain('Nobody knows whether the call happened')
  })

  test('and its result came too late', () => {
    const story = begun(asks('search'), begins(0), faults, late(0, 'tool.completed'))
    expect(story.checks(0).at(-1)).toMatch(/^outcome late #\d+ tool.late$/)
    expect(story.call(0)).toMatchObject({ ran: 'ran', end: 'late' })
  })

  test('as a run of its own', () => {
    const agent = parentWith()
    const story = told(agent, created, admitted, asks('task'), begins(0), starts(0), ends(0))
    expect(story.checks(0)).toEqual([
      ...allowedAt6,
      'dispatch start_run #6 run.transitioned',
      'attempt began #7 effect.started',
      'outcome child_started #8 child.started',
      'outcome child_ended #10 child.ended',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'ran', end: 'child_ended' })
    expect(story.call(0).checks).toContainEqual(
      expect.objectContaining({ child_run_id: 'child 0', child_outcome: 'completed' }),
    )
  })

  test('on the side of the provider: no check stands between', () => {
    const story = begun(
      answers({
        message: {
          id: 'm',
          role: 'assistant',
          parts: [{ type: 'provider_tool', id: 'p1', name: 'web_search', call: {}, result: {} }],
        },
      }),
    )
    expect(story.checks(0)).toEqual([
      'close complete #5 model.completed',
      'outcome by_provider #5 model.completed',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'ran', end: 'by_provider', args_hash: null })
    expect(story.call(0).why).toMatch(/^It ran outside of this system\./)
  })
})

describe('a call that did not run', () => {
  test('was denied by a list, without an effect', () => {
    const story = begun(asks('rm'))
    expect(story.checks(0)).toEqual([...judgedAt6, 'policy deny #7 call.denied'])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'denied' })
    expect(story.call(0).checks.at(-1)).toMatchObject({ policy_id: 'lists' })
  })

  test('was denied by a passport: code, policy and digest', () => {
    const held = { ...spec(passport({}, { status: 'suspended' })), digest: 'sha256:2c26' }
    const story = begunWith({ guardrails: { policies: [held] } }, asks('search'))
    expect(story.checks(0)).toEqual([...judgedAt6, 'policy deny #7 call.denied'])
    expect(story.call(0)).toMatchObject({
      ran: 'did_not_run',
      end: 'denied',
      why: `It did not run. The policy ${held.id} (sha256:2c26) denies the call (oap.passport_suspended) (#7).`,
    })
    expect(story.call(0).checks.at(-1)).toMatchObject({
      policy_id: held.id,
      policy_digest: 'sha256:2c26',
      reasons: [{ code: 'oap.passport_suspended' }],
    })
  })

  test('was denied by a policy with I/O', () => {
    const patch = { guardrails: { policies: [asked] } }
    const story = begunWith(patch, asks('search'), policiesSay(judged(0, 'search', 'deny')))
    expect(story.checks(0).slice(4)).toEqual([
      'policy allow #6 run.transitioned',
      'policy deny #7 policy.answered',
      'policy deny #9 call.denied',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'denied' })
    expect(story.call(0).why).toBe(
      'It did not run. The policy opa (sha256:1) denies the call (x.deny) (#7).',
    )
  })

  test('was denied as a policy could not answer, and the agent fails closed', () => {
    const broken = { policyId: 'opa', message: 'It did not answer within 2000 ms.' }
    const silent: Move = (known) => {
      const fact = policiesSay(judged(0, 'search', 'deny'))(known)
      if (fact.type !== 'policy.answered') return fact
      const decisions = fact.payload.decisions.map((each) => ({ ...each, faults: [broken] }))
      return { ...fact, payload: { ...fact.payload, decisions } }
    }
    const story = begunWith(
      { guardrails: { policies: [asked], failClosed: true } },
      asks('search'),
      silent,
    )
    expect(story.checks(0).slice(6)).toEqual([
      'policy faulted #9 policy.faulted',
      'policy deny #10 call.denied',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'denied' })
  })

  test('was rejected by a person', () => {
    const story = begun(asks('pay'), rejects(0, 'pay', 'Not today.'))
    expect(story.checks(0).slice(4)).toEqual([
      'policy require_approval #7 approval.requested',
      'approval asked #7 approval.requested',
      'approval rejected #8 approval.answered',
      'denial denied #10 call.denied',
    ])
    expect(story.call(0)).toMatchObject({
      ran: 'did_not_run',
      end: 'rejected',
      why: 'It did not run. key:default rejected the call (#8).',
    })
  })

  test('was approved by nobody in time', () => {
    const story = begun(asks('pay'), expires(0))
    expect(story.checks(0).slice(6)).toEqual([
      'approval expired #10 approval.expired',
      'denial denied #11 call.denied',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'expired' })
  })

  test('asked for a tool that is not there', () => {
    const story = begun(asks('fly'))
    expect(story.checks(0)).toEqual([...judgedAt6, 'denial denied #7 call.denied'])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'denied' })
    expect(story.call(0).why).toContain('(unknown_tool)')
  })

  test('had arguments that do not fit', () => {
    const invalid = { code: 'arguments_invalid', message: 'text: expected string' }
    const story = begun(
      asksOddly(['search', 'write'], (part, n) => (n === 0 ? { ...part, invalid } : part)),
    )
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'denied' })
    expect(story.call(0).why).toContain('(arguments_invalid)')
    expect(story.call(1)).toMatchObject({ end: 'waiting' })
  })

  test('shares its id with another, which ran', () => {
    const twins = asksOddly(['search:x', 'search:y'], (part) => ({
      ...part,
      id: part.id.replace(/1$/, '0'),
    }))
    const story = begun(twins, begins(0), completes(0))
    expect(story.explained.calls.map(({ ran, end }) => [ran, end])).toEqual([
      ['ran', 'completed'],
      ['did_not_run', 'denied'],
    ])
    expect(story.call(1).why).toContain('(invalid_call_id)')
  })

  test('was one too many of the same', () => {
    const patch = { loop: { warnThreshold: 1, hardLimit: 1 } }
    const story = begunWith(patch, asks('search'))
    expect(story.checks(0).slice(2)).toEqual(['loop stopped #7 loop.stopped'])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'loop_stopped' })
    expect(story.explained.run).toMatchObject({ outcome: 'loop_stopped' })
  })

  test('came after a budget was used up', () => {
    const story = begunWith({ limits: { maxToolCalls: 0 } }, asks('search'))
    expect(story.checks(0).slice(2)).toEqual([
      'loop no_objection #6 run.transitioned',
      'budget exhausted #7 budget.exhausted',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'budget_exhausted' })
    expect(story.explained.run.why).toBe(
      'The run ended as budget_exhausted: a budget was used up (#7, #6).',
    )
  })

  test('came after the tree of runs had used up its budget', () => {
    const story = begun(asks('search'), begins(0), callRefused(0))
    expect(story.checks(0).slice(7)).toEqual(['budget refused #8 budget.refused'])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'budget_refused' })
  })

  test('was denied right before its execution, by the configuration of today', () => {
    const story = begun(asks('search'), begins(0), deniedToday)
    expect(story.checks(0).slice(6)).toEqual([
      'attempt began #7 effect.started',
      'recheck deny #8 tool.denied',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'denied_at_recheck' })
    expect(story.call(0).checks.at(-1)).toMatchObject({
      configuration: 'current',
      policy_id: 'opa',
      policy_digest: 'sha256:1',
    })
    expect(story.call(0).why).toContain("today's configuration of the worker")
  })

  test('was taken back by a cancel before it began', () => {
    const story = begun(asks('search'), cancels(), takenBack)
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'never_started' })
    expect(story.explained.run).toMatchObject({ outcome: 'cancelled' })
    expect(story.explained.run.why).toContain('by key:default')
  })

  test('waited for a person when the run was cancelled', () => {
    const story = begun(asks('pay'), cancels())
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'cut_off' })
    expect(story.call(0).why).toMatch(
      /The run ended before it could begin\. The run ended as cancelled/,
    )
  })

  test('had its recorded result in a rerun', () => {
    const story = told(agentWith(), repeats, admitted, asks('pay'), begins(0), recalls)
    expect(story.checks(0).slice(4)).toEqual([
      'policy require_approval #7 approval.skipped',
      'approval skipped #7 approval.skipped',
      'dispatch recall #6 run.transitioned',
      'attempt began #8 effect.started',
      'outcome recalled #9 tool.completed',
    ])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'recalled' })
    expect(story.explained.run.rerun_of).toBe('other')
    expect(story.call(0).why).toContain('event #9 of the run other: nothing was executed')
  })

  test('had not happened, as an operator said', () => {
    const story = begun(asks('write'), begins(0), unknown(0), resolves(0, 'not_happened'))
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'not_happened' })
    expect(story.call(0).why).toContain('Nobody knows whether the call happened')
  })

  test('waits: for a person, for policies, for a worker, for a decision', () => {
    expect(begun(asks('pay')).call(0).end).toBe('waiting_for_approval')
    const patch = { guardrails: { policies: [asked] } }
    expect(begunWith(patch, asks('search')).call(0).end).toBe('waiting_for_policies')
    expect(begun(asks('search')).call(0)).toMatchObject({ ran: 'did_not_run', end: 'waiting' })
  })
})

describe('a call of which nobody can say', () => {
  test('lost its worker, and it may run only once', () => {
    const story = begun(asks('write'), begins(0), unknown(0))
    expect(story.call(0)).toMatchObject({ ran: 'unknown', end: 'unknown' })
    expect(story.call(0).why).toMatch(/^It is not known whether it ran\. One attempt began \(#7 by/)
  })

  test('was told to stop while it ran', () => {
    const story = begun(asks('search'), begins(0), cancels(), aborts(0))
    expect(story.call(0)).toMatchObject({ ran: 'unknown', end: 'aborted' })
    expect(story.checks(0).at(-1)).toBe('outcome aborted #10 tool.aborted')
  })

  test('runs', () => {
    expect(begun(asks('search'), begins(0)).call(0)).toMatchObject({
      ran: 'unknown',
      end: 'running',
    })
  })

  test('was running when the run was faulted', () => {
    const story = begun(asks('search'), begins(0), faults)
    expect(story.call(0)).toMatchObject({ ran: 'unknown', end: 'unknown' })
    expect(story.call(0).why).toContain('The run ended as failed: it could not go on (undecidable)')
  })

  test('was refused at its second attempt: of the first nobody knows', () => {
    const story = begun(asks('search'), begins(0, 1), begins(0, 2), deniedAtDispatch(0, 'search'))
    expect(story.call(0)).toMatchObject({ ran: 'unknown', end: 'denied_at_recheck' })
  })
})

describe('a call that settles in the decision', () => {
  const question = { question: 'Which account?' }
  const wondering = (...items: readonly Item[]) =>
    told(curiousAgent(), created, admitted, wonders(question), ...items)

  test('a question waits for a person, and for no worker', () => {
    const story = wondering()
    expect(story.checks(0)).toEqual([...allowedAt6, 'outcome asked #7 input.requested'])
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'waiting_for_answer' })
  })

  test('a question that was answered: by whom', () => {
    const story = wondering(tells(0, 'Savings'))
    expect(story.checks(0).at(-1)).toBe('outcome answered #8 input.answered')
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'answered' })
    expect(story.call(0).why).toContain('answered the question (#8)')
  })

  test('a question that nobody answered', () => {
    const story = wondering(questionExpires(0))
    expect(story.checks(0).at(-1)).toBe('outcome unanswered #10 input.expired')
    expect(story.call(0)).toMatchObject({ ran: 'did_not_run', end: 'unanswered' })
  })

  test('a question that a person let through', () => {
    const agent = curiousAgent({ guardrails: { approvalTools: ['ask_clarification'] } })
    const story = told(
      agent,
      created,
      admitted,
      wonders(question),
      approvesHere(0, 'ask_clarification', { args: question }),
    )
    expect(story.checks(0).filter((each) => each.startsWith('policy'))).toEqual([
      'policy require_approval #7 approval.requested',
    ])
    expect(story.call(0).end).toBe('waiting_for_answer')
  })

  test('a plan is written', () => {
    const todos = [{ text: 'Read', status: 'pending' }]
    const agent = agentWith({ todo: true, tools: [todoTool] })
    const write = asksOddly(['write_todos'], (part) => ({ ...part, args: { todos } }))
    const story = told(agent, created, admitted, write)
    expect(story.checks(0)).toEqual([...allowedAt6, 'outcome completed #7 todo.written'])
    expect(story.call(0).end).toBe('completed')
  })

  test('a question of a run that is cancelled waits no more', () => {
    expect(wondering(cancels()).call(0).end).not.toBe('waiting_for_answer')
  })
})

describe('an answer that did not close positively', () => {
  test.each(['safety', 'length', 'interrupted', 'refusal', 'error', 'unknown_terminal'] as const)(
    '%s: its calls are counted by tool, and none is a call',
    (verdict) => {
      const story = begun(says('Half an ans', cut(verdict, 2)))
      expect(story.explained.calls).toEqual([])
      const [answer] = story.explained.answers
      expect(answer).toMatchObject({ turn: 1, verdict, suppressed: [{ tool: 'write', count: 2 }] })
      expect(answer?.says).toContain('2 calls were taken out')
      const type = verdict === 'safety' ? 'safety.suppressed' : 'turn.cut'
      expect(answer?.decided.map((proof) => proof.type).slice(0, 2)).toEqual([
        'run.transitioned',
        type,
      ])
      const seen = [{ detector: 'd', field: 'finish_reason', value: 'content_filter' }]
      expect(answer?.evidence).toEqual(verdict === 'safety' ? seen : [])
    },
  )

  test('a guardrail stopped it, on its arguments', () => {
    const trip = { ...tripped('stop').trip, partType: 'tool_call' as const }
    const suppressed = cut('length', 1).suppressed ?? []
    const story = begun(says('I send', { ...tripped('stop'), trip, suppressed }))
    const [answer] = story.explained.answers
    expect(answer).toMatchObject({
      verdict: 'guardrail',
      suppressed: [{ tool: 'write', count: 1 }],
      guardrails: [
        {
          verdict: 'stopped',
          guardrail: 'g',
          place: 'tool_call',
          proof: { seq: 7, type: 'guardrail.stopped' },
        },
      ],
    })
    expect(story.explained.run.outcome).toBe('guardrail_stopped')
  })

  test('a guardrail tripped, and the model answered again', () => {
    const story = begunWith(
      { guardrails: { maxGuardrailRetries: 1 } },
      says('I name', tripped()),
      says('I do not.'),
    )
    expect(story.explained.answers).toMatchObject([
      { turn: 1, verdict: 'guardrail', guardrails: [{ verdict: 'tripped' }] },
      { turn: 1, verdict: 'complete', guardrails: [] },
    ])
  })
})

describe('content that was erased', () => {
  const items = [asks('search:x', 'rm'), begins(0), completes(0)] as const

  test('an answer: the calls are known from what followed', () => {
    const { explained } = explain(agentWith(), created, admitted, ...items, {
      erase: 'model.completed',
      recorded: true,
    })
    expect(explained.answers[0]).toMatchObject({ verdict: 'erased', turn: null, provider: null })
    expect(explained.calls).toMatchObject([
      { tool: 'search', args_hash: argsHashOf('x'), asked: null, ran: 'ran', end: 'completed' },
      { tool: 'rm', asked: null, ran: 'did_not_run', end: 'denied' },
    ])
    expect(explained.erased).toMatchObject([
      {
        event: { seq: 5, type: 'model.completed' },
        erased_by: { type: 'payload.erased' },
        reason: 'Asked for.',
      },
    ])
    expect(JSON.stringify(explained)).not.toContain('"arg"')
  })

  test('a result: its columns prove that it ran', () => {
    const story = explain(agentWith(), created, admitted, ...items, {
      erase: 'tool.completed',
      recorded: true,
    })
    expect(story.call(0)).toMatchObject({ ran: 'ran', end: 'completed' })
    const record = story.explained.erased[0]?.erased_by
    expect(story.call(0).checks.at(-1)).toMatchObject({
      check: 'erased',
      proof: { type: 'tool.completed' },
      erased_by: record,
    })
    expect(story.call(0).why).toContain(`by the record #${record?.seq}`)
  })

  test('without a record, that is said', () => {
    const { explained } = explain(agentWith(), created, admitted, ...items, {
      erase: 'run.created',
      recorded: false,
    })
    expect(explained.run).toMatchObject({ agent: null, definition_hash: null, actor: null })
    expect(explained.erased).toMatchObject([{ event: { seq: 1 }, erased_by: null, reason: null }])
  })
})

test('a run that was ended by its clock says so', () => {
  const story = begunWith({ limits: { timeoutMs: 1 } }, asks('search'), fires(), aborts(0))
  expect(story.explained.run).toMatchObject({ outcome: 'timed_out' })
  expect(story.explained.run.proofs[0]).toMatchObject({ type: 'timer.fired' })
})
