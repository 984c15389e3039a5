/** Lines of events. Would catch: a verdict without its essence, arguments or a model's words on a line, two lines. */
import { describe, expect, it } from 'vitest'
import type { Event } from '../src/client/documents.ts'
import { eventDetails } from '../src/output/event-details.ts'
import { eventLine, styleOf } from '../src/output/event-line.ts'
import { createTerminal } from '../src/output/terminal.ts'

const canary = 'c4n4ry'

const event = (type: string, payload: Event['payload'], verdict: string | null = null): Event => ({
  run_id: 'r',
  thread_id: 't',
  seq: 7,
  type,
  at: '2026-11-20T12:00:00.000Z',
  actor: 'a',
  tool: null,
  verdict,
  payload,
})

const trip = {
  guardrail: { id: 'pii', name: 'Personal data' },
  outcome: 'fail',
  feedback: canary,
  partType: 'text',
  offset: 9,
}
const calls = [{ name: 'bash', argsBytes: 4, argsHmac: canary }]
const denial = {
  effect: 'deny',
  reasons: [{ code: 'oap.passport_suspended', message: canary }],
  policyId: 'acme',
  policyDigest: canary,
}

/** Payloads as `core` writes them, and what the line must say. */
const lines: readonly (readonly [string, Event['payload'], string])[] = [
  [
    'guardrail.tripped',
    { turn: 1, correction: 2, messageId: 'm', trip, calls },
    'pii in text calls taken out: bash correction 2',
  ],
  [
    'guardrail.stopped',
    { turn: 1, corrections: 3, messageId: 'm', trip, calls: [], explanation: canary },
    'pii in text after 3 corrections',
  ],
  [
    'turn.cut',
    {
      turn: 1,
      messageId: 'm',
      verdict: 'interrupted',
      calls,
      explanation: canary,
      reason: { code: 'end_marker_missing', detail: 'The stream closed without its end marker.' },
    },
    'interrupted calls taken out: bash The stream closed without its end marker.',
  ],
  [
    'model.replaced',
    { turn: 1, from: 'openai/a', to: 'anthropic/b', class: 'quota', message: canary },
    'openai/a → anthropic/b quota',
  ],
  [
    'policy.faulted',
    { callId: 'c', tool: 'bash', policyId: 'opa', message: canary },
    'opa could not answer',
  ],
  [
    'call.flagged',
    { callId: 'c', tool: 'bash', rule: 'bash.sudo', message: canary, policyId: 'bash-audit' },
    'bash.sudo by bash-audit',
  ],
  [
    'policy.answered',
    {
      effectId: 'e',
      attempt: 1,
      decisions: [
        {
          callId: 'c',
          tool: 'a',
          argsHash: canary,
          answer: { effect: 'allow', reasons: [], policyId: 'acme', policyDigest: canary },
          faults: [],
        },
        {
          callId: 'd',
          tool: 'a',
          argsHash: canary,
          answer: denial,
          faults: [{ policyId: 'opa', message: canary }],
        },
      ],
      durationMs: 4,
    },
    '1 allow, 1 deny 1 could not answer',
  ],
  [
    'call.denied',
    {
      callId: 'c',
      tool: 'bash',
      code: 'oap.dangerous_operation',
      message: canary,
      policyId: 'acme',
    },
    'oap.dangerous_operation by acme',
  ],
  [
    'tool.denied',
    { effectId: 'e', attempt: 1, callId: 'c', tool: 'bash', answer: denial },
    'oap.passport_suspended by acme right before its execution',
  ],
  [
    'approval.requested',
    {
      callId: 'c_1',
      tool: 'bash',
      argsHash: canary,
      approvalId: 'a_1',
      policyId: 'lists',
      reason: canary,
      expiresAt: Date.UTC(2026, 10, 27, 12),
    },
    'a_1 by lists until 2026-11-27T12:00:00Z',
  ],
  [
    'approval.answered',
    {
      callId: 'c_1',
      tool: 'bash',
      decision: 'approve',
      argsHash: canary,
      note: canary,
      scope: 'always',
      by: { id: 'ann', role: 'lead' },
      edited: { args: { text: canary }, argsHash: canary },
    },
    'approve c_1 by ann for always',
  ],
  [
    'approval.reused',
    { callId: 'c_2', tool: 'bash', argsHash: canary, scope: 'run' },
    'c_2 approved before for this run',
  ],
  [
    'approval.expired',
    { callId: 'c_1', tool: 'bash', approvalId: 'a_1' },
    'a_1 nobody answered in time',
  ],
  ['child.started', { effectId: 'e', attempt: 1, callId: 'c', childRunId: 'r_2' }, 'r_2'],
  [
    'child.ended',
    {
      effectId: 'e',
      callId: 'c',
      childRunId: 'r_2',
      outcome: 'completed',
      output: { content: [{ type: 'text', text: canary }], isError: false },
      resultHash: canary,
      spent: { turns: 2, calls: 1, tokens: 1840, cost: 0, activeMs: 9 },
      verdicts: [
        { seq: 5, type: 'call.denied', tool: 'bash', code: 'not_allowed' },
        { seq: 9, type: 'call.denied', tool: 'bash', code: 'not_allowed' },
      ],
    },
    'r_2 used 1840 tokens 2 objections (not_allowed)',
  ],
  [
    'budget.refused',
    { effectId: 'e', attempt: 1, callId: 'c', budget: 'calls', used: 9, limit: 9 },
    'calls 9 of 9',
  ],
  ['budget.warned', { budget: 'tokens', used: 80, limit: 100, text: canary }, 'tokens 80 of 100'],
  ['turn.continued', { turn: 2, messageId: 'm', text: canary }, 'after turn 2 reached its length'],
  ['answer.missing', { turn: 3, messageId: 'm', text: canary }, 'turn 3 said nothing, twice'],
  [
    'loop.warned',
    { layer: 'tool_frequency', set: '', tools: ['ls'], count: 30, threshold: 30, text: canary },
    'tool_frequency: 30 calls of one tool (ls)',
  ],
  [
    'loop.stopped',
    {
      layer: 'identical_call_set',
      set: canary,
      tools: ['ls', 'ls', 'cat'],
      count: 5,
      text: canary,
    },
    'identical_call_set: 5 times the same calls (ls, cat)',
  ],
]

describe('details', () => {
  it.each(lines)('of %s say what was decided, and about what', (type, payload, said) => {
    expect(eventDetails(event(type, payload), false)).toBe(said)
  })

  it('never hold arguments, not even with everything shown', () => {
    const edited = lines.find(([type]) => type === 'approval.answered')
    const payload = { ...edited?.[1], note: '' }
    expect(eventDetails(event('approval.answered', payload), true)).not.toContain(canary)
  })

  it('say what people and policies wrote when asked to', () => {
    const [, payload = {}] = lines.find(([type]) => type === 'call.denied') ?? []
    expect(eventDetails(event('call.denied', payload), true)).toContain(canary)
  })

  it('survive a payload of another version', () => {
    for (const [type] of lines) {
      expect(eventDetails(event(type, {}), true)).not.toContain('\n')
      expect(
        eventDetails(event(type, { decisions: 1, trip: null, expiresAt: 1e300 }), true),
      ).not.toContain('NaN')
    }
  })
})

describe('lines', () => {
  it('are one each, whatever a tool calls itself', () => {
    const terminal = createTerminal({ json: false })
    const named = event('loop.warned', { layer: 'x', tools: ['a\nb\u001b[2J'], count: 3 })
    const line = eventLine(terminal, named, { verbose: true, withRun: true })
    for (const control of ['\n', '\u001b']) expect(line).not.toContain(control)
    expect(line).toContain('loop.warned')
  })

  it.each([
    ['guardrail.stopped', 'red'],
    ['policy.faulted', 'red'],
    ['budget.exhausted', 'red'],
    ['budget.refused', 'red'],
    ['child.ended', 'cyan'],
    ['budget.warned', 'yellow'],
    ['guardrail.tripped', 'yellow'],
    ['tool.denied', 'yellow'],
    ['call.flagged', 'yellow'],
    ['model.replaced', 'yellow'],
    ['tool.completed', 'cyan'],
  ])('show %s in %s', (type, style) => {
    expect(styleOf(type)).toBe(style)
  })
})
