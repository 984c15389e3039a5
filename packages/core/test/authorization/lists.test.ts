/** Lists of tools, and many policies with one answer. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluateAllowlist } from '../../src/verdict/authorization/allowlist.ts'
import { builtInEvaluator } from '../../src/verdict/authorization/built-in.ts'
import { combineAnswers, evaluatePolicies } from '../../src/verdict/authorization/combine.ts'
import { noPassports } from '../../src/verdict/authorization/passports.ts'
import type { PolicyAnswer } from '../../src/policy-answer.ts'
import type { PolicyRequest, PureEvaluator } from '../../src/verdict/authorization/request.ts'
import {
  AllowlistSpec,
  CedarSpec,
  HttpPolicySpec,
  PassportSpec,
  type PolicySpec,
} from '../../src/verdict/authorization/spec.ts'

const request = (tool: string): PolicyRequest => ({
  tool,
  args: {},
  callId: 'call-1',
  agent: 'writer',
  runId: 'run',
  isSubagent: false,
  user: null,
  at: 0,
})

/** `allow`, or the code of the refusal. */
const verdictOf = ({ effect, reasons }: PolicyAnswer): string =>
  effect === 'allow' ? 'allow' : (reasons[0]?.code ?? effect)

const list = (fields: object): AllowlistSpec =>
  AllowlistSpec.parse({ id: 'list', digest: 'sha256:1', use: 'allowlist', ...fields })

test.each([
  [{}, 'allow'],
  [{ allowedTools: null }, 'allow'],
  [{ allowedTools: [] }, 'oap.tool_not_allowed'],
  [{ allowedTools: ['bash'] }, 'allow'],
  [{ allowedTools: ['Bash'] }, 'oap.tool_not_allowed'],
  [{ allowedTools: ['*'] }, 'oap.tool_not_allowed'],
  [{ deniedTools: ['bash'] }, 'oap.tool_not_allowed'],
  [{ allowedTools: ['bash'], deniedTools: ['bash'] }, 'oap.tool_not_allowed'],
  [{ deniedTools: ['BASH'] }, 'allow'],
  [{ approvalTools: ['bash'] }, 'approval_required'],
  [{ approvalTools: ['bash'], deniedTools: ['bash'] }, 'oap.tool_not_allowed'],
  [{ approvalTools: ['bash'], allowedTools: [] }, 'oap.tool_not_allowed'],
])('Allowlist: %j is %s', (fields, code) => {
  expect(verdictOf(evaluateAllowlist(list(fields), request('bash')))).toBe(code)
})

test('an allow says oap.allowed, and every answer names its policy', () => {
  expect(evaluateAllowlist(list({}), request('bash'))).toMatchObject({
    effect: 'allow',
    reasons: [{ code: 'oap.allowed' }],
    policyId: 'list',
    policyDigest: 'sha256:1',
  })
})

const answer = (effect: PolicyAnswer['effect'], id: string): PolicyAnswer => ({
  effect,
  reasons: [{ code: `x.${id}`, message: id }],
  policyId: id,
  policyDigest: '',
})

const withoutPassports = (spec: PolicySpec): PureEvaluator | null =>
  builtInEvaluator(spec, noPassports)

const neverAsked = (): never => {
  throw new Error('asked')
}

describe('Guardrail fail mode', () => {
  const cedar = CedarSpec.parse({ id: 'cedar', use: 'cedar', policies: {} })
  const asked = request('bash')
  const unable: readonly [string, () => PureEvaluator | null][] = [
    [
      'throws',
      () => () => {
        throw new Error(`broken\u0000${'x'.repeat(500)}`)
      },
    ],
    ['is missing', () => null],
    ['answers an unknown word', () => () => JSON.parse('{"effect":"constructor","reasons":[]}')],
    ['answers nothing', () => () => JSON.parse('null')],
  ]

  test.each(unable)('a policy that %s denies when failClosed', (_, evaluatorOf) => {
    const judged = evaluatePolicies({ specs: [cedar], failClosed: true, evaluatorOf }, asked)
    expect(verdictOf(judged.answer)).toBe('oap.evaluator_error')
    expect(judged.answer.policyId).toBe('cedar')
    expect(judged.faults).toMatchObject([{ policyId: 'cedar' }])
    expect(judged.faults[0]?.message).toMatch(/^[^\p{Cc}]{1,200}$/u)
    expect(judged.answer.reasons[0]?.message).not.toContain('broken')
  })

  test.each(unable)('a policy that %s has no say otherwise, and is named', (_, evaluatorOf) => {
    const specs = [cedar, list({ deniedTools: ['bash'] })]
    const either = (spec: PolicySpec): PureEvaluator | null =>
      spec.use === 'cedar' ? evaluatorOf() : withoutPassports(spec)
    const alone = evaluatePolicies({ specs: [cedar], failClosed: false, evaluatorOf }, asked)
    expect(alone).toMatchObject({ answer: { effect: 'allow' }, faults: [{ policyId: 'cedar' }] })
    const both = evaluatePolicies({ specs, failClosed: false, evaluatorOf: either }, asked)
    expect(verdictOf(both.answer)).toBe('oap.tool_not_allowed')
  })

  test('a passport denies where nobody evaluates passports', () => {
    const held = PassportSpec.parse({ id: 'passport', use: 'passport', passport: {} })
    const set = { specs: [held], failClosed: true, evaluatorOf: withoutPassports }
    const judged = evaluatePolicies(set, asked)
    expect(verdictOf(judged.answer)).toBe('oap.evaluator_error')
    expect(judged.faults).toMatchObject([{ policyId: 'passport' }])
  })

  test('without policies all is allowed; those with I/O are not asked here', () => {
    const http = HttpPolicySpec.parse({ id: 'http', use: 'http', url: 'https://example.com' })
    for (const specs of [[], [http]])
      expect(
        evaluatePolicies({ specs, failClosed: true, evaluatorOf: neverAsked }, asked),
      ).toMatchObject({
        answer: { effect: 'allow', reasons: [{ code: 'oap.allowed' }] },
        faults: [],
      })
  })
})

describe('combining', () => {
  test('of several denials the first names the answer, and all reasons are kept', () => {
    const all = [
      answer('allow', 'a'),
      answer('deny', 'b'),
      answer('require_approval', 'c'),
      answer('deny', 'd'),
    ]
    expect(combineAnswers(all)).toMatchObject({
      effect: 'deny',
      policyId: 'b',
      reasons: [{ code: 'x.b' }, { code: 'x.d' }],
    })
  })

  test('at most 16 reasons; a denial without one gets one', () => {
    const many = Array.from({ length: 40 }, () => answer('deny', 'a'))
    expect(combineAnswers(many).reasons).toHaveLength(16)
    expect(combineAnswers([{ ...answer('deny', 'a'), reasons: [] }]).reasons).toEqual([
      { code: 'oap.denied', message: 'blocked by guardrail policy' },
    ])
  })

  test('deny beats require_approval beats allow, in any order', () => {
    const effect = fc.constantFrom('allow', 'deny', 'require_approval')
    fc.assert(
      fc.property(fc.array(effect), (effects) => {
        const combined = combineAnswers(effects.map((each, at) => answer(each, String(at)))).effect
        const strongest = ['deny', 'require_approval', 'allow'].find((each) =>
          effects.some((other) => other === each),
        )
        expect(combined).toBe(strongest ?? 'allow')
      }),
    )
  })
})
