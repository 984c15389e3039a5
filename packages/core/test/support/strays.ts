/** Facts that fit their schema and nothing else. */
import fc from 'fast-check'
import { Budget, type FactPayload, type ToolOutput } from '../../src/index.ts'
import { type FactBody } from './facts.ts'
import { policyAnswer } from './permissions.ts'

const text = fc.string({ maxLength: 4 })
const callId = fc.oneof(
  text,
  fc.constantFrom('__proto__', 'c_0123456789ab_1_0', 'c_0123456789ab_1___proto__'),
)
const about = { effectId: text, attempt: fc.integer(), callId }
const output = fc.record({ content: fc.constant<ToolOutput['content']>([]), isError: fc.boolean() })

const budgets = fc.constantFrom(...Budget.options)

/** Facts about nothing that is open, of every type that names something. */
export const strays: fc.Arbitrary<FactBody> = fc.oneof(
  fc.record({
    type: fc.constant('tool.completed' as const),
    payload: fc.record({ ...about, output, durationMs: fc.constant(1) }),
  }),
  fc.record({
    type: fc.constant('tool.unknown' as const),
    payload: fc.record({ ...about, reason: fc.constant('not_settled' as const) }),
  }),
  fc.record({
    type: fc.constant('tool.resolved' as const),
    payload: fc.record({
      effectId: text,
      callId,
      resolution: fc.constantFrom('happened' as const, 'retry' as const),
    }),
  }),
  fc.record({
    type: fc.constant('child.started' as const),
    payload: fc.record({ ...about, childRunId: text }),
  }),
  fc.record({
    type: fc.constant('child.ended' as const),
    payload: fc.record({
      effectId: text,
      callId,
      childRunId: text,
      outcome: fc.constantFrom('completed' as const, 'failed' as const),
      output,
      resultHash: text,
      spent: fc.constant({ turns: 9, calls: 9, tokens: 9, cost: 9, activeMs: 9 }),
      verdicts: fc.constant<FactPayload<'child.ended'>['verdicts']>([]),
    }),
  }),
  fc.record({
    type: fc.constant('budget.refused' as const),
    payload: fc.record(
      { ...about, budget: budgets, used: fc.nat(), limit: fc.nat() },
      { requiredKeys: ['effectId', 'attempt', 'budget', 'used', 'limit'] },
    ),
  }),
  fc.record({
    type: fc.constant('model.aborted' as const),
    payload: fc.record({ effectId: text, attempt: fc.integer() }),
  }),
  fc.record({
    type: fc.constant('input.answered' as const),
    payload: fc.record({ callId, output }),
  }),
  fc.record({
    type: fc.constant('approval.answered' as const),
    payload: fc.record({
      callId,
      tool: fc.constantFrom('pay', 'fly', ''),
      decision: fc.constantFrom('approve' as const, 'reject' as const, 'edit' as const),
      argsHash: text,
    }),
  }),
  fc.record({
    type: fc.constant('timer.fired' as const),
    payload: fc.record({ timerId: callId.map((id) => `approval:${id}`) }),
  }),
  fc.record({
    type: fc.constant('tool.denied' as const),
    payload: fc.record({
      ...about,
      tool: text,
      answer: fc.constantFrom(policyAnswer('deny'), policyAnswer('allow')),
      configuration: fc.constantFrom('pinned' as const, 'current' as const),
    }),
  }),
  fc.record({
    type: fc.constant('policy.answered' as const),
    payload: fc.record({
      effectId: text,
      attempt: fc.integer(),
      decisions: fc.constant<FactPayload<'policy.answered'>['decisions']>([]),
      durationMs: fc.constant(1),
    }),
  }),
)
