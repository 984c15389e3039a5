/**
 * The acceptance table of agent governance, the rows of safety and guardrails: one test per numbered behaviour that the core decides, named
 * after its row. Defaults are the table's: what a test does not set is as an agent has it that configures nothing.
 */
import { describe, expect, test } from 'vitest'
import { type AssistantPart, type ModelTurn, type PolicyRequest } from '../src/index.ts'
import { agentWith, cedar, type Patch } from './support/agent.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  cut,
  run,
  says,
  saysNothing,
  type Move,
} from './support/facts.ts'
import { policyAnswer } from './support/permissions.ts'
import { answered, said } from './support/log.ts'
import { promptOf } from './support/prompt.ts'
import { given, givenWith, type Story } from './support/story.ts'

const started = (patch: Patch = {}) => given(agentWith(patch), created, admitted)
const typesOf = (story: Story): readonly string[] => story.verdicts.map(({ type }) => type)
const next = said(['and now?'])

/** A turn that a provider cut, with the signal as it spelt it. */
const stopped = (field: string, value: string, calls = 1): Partial<ModelTurn> => ({
  ...cut('safety', calls),
  evidence: [{ detector: 'd', field, value }],
})

const signals: readonly (readonly [string, string, Partial<ModelTurn>, string])[] = [
  ['content_filter', 'finish_reason', stopped('finish_reason', 'content_filter'), 'safety_stopped'],
  ['refusal', 'stop_reason', stopped('stop_reason', 'refusal'), 'safety_stopped'],
  ['SAFETY', 'finishReason', stopped('finishReason', 'SAFETY'), 'safety_stopped'],
]

/** A call whose arguments were no arguments. */
const invalidCall = (message: string): AssistantPart => ({
  type: 'tool_call',
  id: 'a',
  name: 'write',
  args: {},
  argsHash: 'h',
  invalid: { code: 'arguments_invalid', message },
})

describe('Safety', () => {
  test.each(signals)(
    'Safety: suppress: 1) %s + calls → zero executions, same message id, explanation, safety_stopped',
    (value, field, turn, outcome) => {
      const story = started().and(says('I will', turn))
      expect(story.decision).toMatchObject({ outcome, status: 'ended', effects: [] })
      expect(story.decision.verdicts[0]?.payload).toMatchObject({ messageId: 'm_0123456789ab_1' })
      expect(story.prompt(next)[1]).toContain(
        `I will|[The provider stopped this answer for safety (${field}=${value}, d). 1 tool call was not executed`,
      )
    },
  )

  test('Safety: suppress: 3) event holds ids, names, count, never args', () => {
    const [verdict] = started().and(answers(stopped('f', 'v', 2))).decision.verdicts
    const call = { name: 'write', argsBytes: 7, argsHmac: 'ab' }
    expect(verdict).toMatchObject({
      type: 'safety.suppressed',
      payload: { turn: 1, messageId: 'm_0123456789ab_1', calls: [call, call] },
    })
    expect(JSON.stringify(verdict)).not.toContain('"args"')
  })

  test('Safety: blank: 1) signal + blank → explanation stored', () => {
    const story = started().and(saysNothing(stopped('finish_reason', 'content_filter', 0)))
    expect(story.decision.verdicts[0]?.payload).toMatchObject({
      explanation: expect.stringContaining('It returned no content.'),
    })
  })

  test("Safety: blank: 2) next run's request has no empty assistant message", () => {
    const story = started().and(saysNothing(stopped('finish_reason', 'content_filter', 0)))
    expect(story.prompt(next)).toEqual([
      'user: hello',
      'assistant: [The provider stopped this answer for safety (finish_reason=content_filter, d). It returned no content. Rephrasing the request may help.]',
      'user: and now?',
    ])
  })

  test('Safety: blank: 3) signal + text → byte-identical text', () => {
    const words = ' I began\u00a0to say \n'
    const story = started().and(says(words, stopped('finish_reason', 'content_filter', 0)))
    expect(story.prompt(next)[1]).toBe(`assistant: ${words}`)
  })

  test('Safety: config: 3) length/max_tokens no safety', () => {
    const story = started().and(
      answers({ ...cut('length'), finish: { unified: 'length', raw: 'max_tokens' } }),
    )
    expect(story.decision.outcome).toBe('length_stopped')
    expect(typesOf(story)).toEqual(['turn.cut'])
  })

  const canary = 'canary-7f3a'
  /** An adapter that forgets to take a cut call out: the worst that could reach the core. */
  const leaky: Move = (known) => {
    const fact = asks(`write:${canary}`)(known)
    if (fact.type !== 'model.completed') return fact
    const turn = { ...fact.payload.turn, ...stopped('finish_reason', 'content_filter') }
    return { ...fact, payload: { ...fact.payload, turn } }
  }

  test('Safety: log hygiene [+]: 1) no persisted event has filtered args', () => {
    const { log } = started().and(leaky)
    const decided = log.filter(({ type }) => type !== 'model.completed')
    expect(decided.length).toBeGreaterThan(0)
    expect(JSON.stringify(decided)).not.toContain(canary)
  })

  test('Safety: log hygiene [+]: 2) invalid calls, tool_use blocks cleared too', () => {
    const parts = [
      invalidCall(canary),
      { type: 'provider_tool', id: 'p', name: 'tool_use', call: { canary } },
    ] as const
    const events = [said(['hello']), answered('m1', parts, stopped('f', 'v')), next]
    expect(JSON.stringify(promptOf(events))).not.toContain(canary)
    expect(promptOf(events)[1]).toMatch(/^assistant: \[The provider stopped/)
  })

  test('Safety: log hygiene [+]: 3) no todo/goal re-drive', () => {
    const patch = { continuations: 5, modelRetries: { max: 20 } }
    const story = started(patch).and(asks('search')).and(completes(0))
    const ended = story.and(saysNothing(stopped('f', 'v')))
    expect(ended.decision).toMatchObject({ status: 'ended', effects: [], timers: [] })
  })
})

const broken = () => {
  throw new Error('timeout')
}
const rules = (failClosed: boolean) => agentWith({ guardrails: { policies: [cedar], failClosed } })

const lists = (guardrails: Patch['guardrails']) =>
  given(
    agentWith({ guardrails: { approvalTools: [], deniedTools: [], ...guardrails } }),
    created,
    admitted,
  )
const codes = (story: Story): readonly unknown[] =>
  story.decision.verdicts.map(({ payload }) => ('code' in payload ? payload.code : ''))

/** What a policy is asked about one call whose arguments claim to be somebody. */
function asksAs(caller?: PolicyRequest['user']): PolicyRequest | undefined {
  const seen: PolicyRequest[] = []
  const story = givenWith(
    (request) => {
      seen.push(request)
      return policyAnswer('allow')
    },
    rules(true),
    created,
    admitted,
  )
  story.and((known) => {
    const fact = asks('search:{"user_id":"root","user_role":"admin"}')(known)
    if (fact.type !== 'model.completed' || !caller) return fact
    const known1 = { caller: { user: caller, isSubagent: false } }
    return { ...fact, payload: { ...fact.payload, ...known1 } }
  })
  return seen[0]
}

describe('Guardrail', () => {
  test('Guardrail deny: 1) denied tool never runs; error result with code and reason; loop and siblings go on', () => {
    const story = started().and(asks('rm:x', 'search:y'))
    expect(story.decision.effects).toMatchObject([{ kind: 'tool.call', tool: 'search' }])
    expect(story.and(completes(1)).prompt().slice(2)).toEqual([
      'error c_0123456789ab_1_0 rm: Error: this call was not executed (oap.tool_not_allowed). The tool "rm" is on the list of denied tools.',
      'result c_0123456789ab_1_1 search: result 1',
    ])
  })

  test('Guardrail deny: 2) one decision event without args', () => {
    const { decision } = started().and(asks('rm:secret', 'search'))
    expect(decision.verdicts.map(({ type }) => type)).toEqual(['call.denied'])
    expect(JSON.stringify(decision.verdicts)).not.toContain('secret')
  })

  test('Guardrail deny: 3) allow adds no result change', () => {
    const story = started().and(asks('search')).and(completes(0, 'as it came'))
    expect(typesOf(story)).toEqual([])
    expect(story.prompt().at(-1)).toBe('result c_0123456789ab_1_0 search: as it came')
  })

  test('Guardrail fail mode: 1) throw/timeout → deny oap.evaluator_error', () => {
    const story = givenWith(broken, rules(true), created, admitted).and(asks('search'))
    expect(story.decision.effects.map(({ kind }) => kind)).toEqual(['model.call'])
    expect(story.prompt().at(-1)).toContain('(oap.evaluator_error)')
  })

  test('Guardrail fail mode: 2) fail-open → runs, event says so', () => {
    const story = givenWith(broken, rules(false), created, admitted).and(asks('search'))
    expect(story.decision.effects).toMatchObject([{ kind: 'tool.call', tool: 'search' }])
    expect(story.decision.verdicts).toMatchObject([
      { type: 'policy.faulted', payload: { policyId: 'rules', message: 'timeout' } },
    ])
  })

  test('Guardrail fail mode: 3) cancellation is not a denial', () => {
    const story = started().and(asks('pay', 'search')).and(cancels())
    expect(typesOf(story)).toEqual(['approval.requested'])
    expect(story.state.name).toBe('cancelling')
  })

  test('Allowlist: 1) [] denies all', () => {
    const story = lists({ allowedTools: [] }).and(asks('search', 'write'))
    expect(story.decision.effects.map(({ kind }) => kind)).toEqual(['model.call'])
    expect(codes(story)).toHaveLength(2)
    const all = lists({ allowedTools: null }).and(asks('search', 'write'))
    expect(all.decision.effects).toHaveLength(2)
  })

  test('Allowlist: 2) deny beats allow', () => {
    const story = lists({ allowedTools: ['search'], deniedTools: ['search'] }).and(asks('search'))
    expect(story.decision.effects.map(({ kind }) => kind)).toEqual(['model.call'])
  })

  test('Allowlist: 3) code oap.tool_not_allowed', () => {
    expect(codes(lists({ allowedTools: [] }).and(asks('search')))).toEqual(['oap.tool_not_allowed'])
    expect(codes(lists({ deniedTools: ['search'] }).and(asks('search')))).toEqual([
      'oap.tool_not_allowed',
    ])
  })

  test('Guardrail context: 1) forged client identity ignored', () => {
    expect(asksAs()).toMatchObject({ user: null, isSubagent: false })
    const user = { id: 'u1', role: 'clerk' }
    expect(asksAs(user)).toMatchObject({ user })
  })

  test('Guardrail context: 2) passport = agent_id', () => {
    expect(asksAs()).toMatchObject({ agent: 'a', runId: run })
  })
})
