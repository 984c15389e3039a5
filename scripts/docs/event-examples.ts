/** One payload per event type, as a run would write it. Checked against the schemas when the page is made. */
import type { EventType, eventSchemas } from '@signalbox/core'
import type { z } from 'zod'

const run = '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77'
const child = '01934f3e-9b21-7d4f-8e66-1c7b5a2f3d88'
const call = 'c_0b6a4f1e2c77_1_0'
const message = 'm_0b6a4f1e2c77_1'
const definitionHash = '0d9c6a1f3b5e7d2c4f6a8b0c1d3e5f7a9b1c3d5e7f9a0b2c4d6e8f0a1b2c3d4e'
const argsHash = `hk1:${definitionHash}`
const of = { effectId: `${run}.2`, attempt: 1 }
const ofCall = { ...of, callId: call }
const suppressed = [
  {
    name: 'write_file',
    argsBytes: 412,
    argsHmac: '5b1f0c2d7e9a4b6c8d0e1f3a5b7c9d1e3f5a7b9c0d2e4f6a8b0c1d3e5f7a9b1c',
  },
]
const policyDigest = 'sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'
const policy = { policyId: 'passport', policyDigest }
const trip = {
  guardrail: { id: 'no-guarantees', name: 'Banned terms' },
  outcome: 'fail' as const,
  feedback:
    'I was about to write a term that is not allowed, which I must not do here. I will answer again without it.',
  partType: 'text' as const,
  offset: 64,
}
const loop = { set: '9a3f5c7e1b2d', tools: ['read_file'] }
const said = { content: [{ type: 'text' as const, text: 'Created report.md (1204 bytes).' }] }

/** Examples by event type. */
export const eventExamples: { readonly [T in EventType]: z.input<(typeof eventSchemas)[T]> } = {
  'run.created': {
    agent: 'writer',
    definitionHash: '7c4a8d09ca3762af61e59520943dc26494f8941b6f4bb0a4f3a9c0d1e2f3a4b5',
    machine: 'run',
    machineVersion: 1,
    input: [{ id: 'u_1', role: 'user', parts: [{ type: 'text', text: 'Write a report.' }] }],
    metadata: {},
    user: { id: 'ann', role: 'lead' },
    endUser: 'u_3f6c0d2b9a7e4c1d8f5b2a6c9e0d7f41',
  },
  'run.admitted': {},
  'model.completed': {
    effectId: `${run}.1`,
    attempt: 1,
    turn: {
      verdict: 'complete',
      message: {
        id: message,
        role: 'assistant',
        parts: [
          { type: 'text', text: 'I write the file.' },
          {
            type: 'tool_call',
            id: call,
            name: 'write_file',
            args: { path: 'report.md', content: '# Report' },
            argsHash,
          },
        ],
      },
      suppressed: [],
      evidence: [],
      finish: { unified: 'tool-calls', raw: 'tool_calls' },
      usage: { inputTokens: 812, outputTokens: 96 },
      provider: 'openai-compatible',
      model: 'kimi-k2',
    },
    callSet: '9a3f5c7e1b2d',
    durationMs: 2140,
  },
  'model.aborted': { effectId: `${run}.1`, attempt: 1 },
  'tool.completed': {
    ...ofCall,
    output: { ...said, isError: false },
    durationMs: 12,
    files: [{ path: 'report.md', key: 'f3a1…', bytes: 5120 }],
  },
  'tool.failed': {
    ...ofCall,
    error: {
      code: 'tool_timeout',
      message: 'write_file did not finish within 60000 ms. It was stopped.',
    },
    durationMs: 60_003,
  },
  'recall.missed': { ...ofCall, tool: 'write_file', argsHash, reason: 'never_made', recorded: 0 },
  'tool.aborted': { ...ofCall, reason: 'cancelled' },
  'tool.unknown': { ...ofCall, reason: 'worker_lost' },
  'tool.resolved': {
    effectId: `${run}.2`,
    callId: call,
    resolution: 'happened',
    note: 'The transfer is in the bank statement.',
  },
  'tool.denied': {
    ...ofCall,
    tool: 'write_file',
    answer: {
      effect: 'deny',
      reasons: [{ code: 'oap.passport_suspended', message: 'The passport is not active.' }],
      ...policy,
    },
  },
  'child.started': { ...ofCall, childRunId: child },
  'child.ended': {
    effectId: `${run}.2`,
    callId: call,
    childRunId: child,
    outcome: 'completed',
    output: { content: [{ type: 'text', text: 'Three ships are due on Monday.' }], isError: false },
    resultHash: '4f1d2a6c8b0e3d57',
    spent: { turns: 2, calls: 1, tokens: 1840, cost: 7020, activeMs: 5310 },
    verdicts: [{ seq: 5, type: 'call.denied', tool: 'bash', code: 'oap.dangerous_operation' }],
  },
  'budget.refused': { ...ofCall, budget: 'calls', used: 200, limit: 200 },
  'policy.answered': {
    ...of,
    decisions: [
      {
        callId: call,
        tool: 'write_file',
        argsHash,
        answer: {
          effect: 'allow',
          reasons: [{ code: 'oap.allowed', message: 'The policy allows it.' }],
          policyId: 'opa',
          policyDigest,
        },
        faults: [],
      },
    ],
    durationMs: 9,
  },
  'approval.answered': {
    callId: call,
    tool: 'write_file',
    decision: 'approve',
    argsHash,
    note: 'Ada called.',
    scope: 'once',
    by: { id: 'ann', role: 'lead' },
  },
  'input.answered': { callId: call, output: { ...said, isError: false } },
  'input.injected': {
    messages: [{ id: 'u_2', role: 'user', parts: [{ type: 'text', text: 'In German, please.' }] }],
    bytes: 18,
    by: { id: 'ann', role: 'lead' },
  },
  'cancel.requested': { action: 'interrupt', reason: 'The customer changed his mind.' },
  'timer.fired': { timerId: 'timeout' },
  'run.faulted': { code: 'poison', message: 'model.completed: turn: expected object' },
  'run.transitioned': {
    from: 2,
    through: 6,
    path: ['model', 'safety', 'guardrail', 'tools'],
    outcome: null,
    effects: [
      {
        kind: 'tool.call',
        id: `${run}.2`,
        mode: 'idempotent',
        queue: 'tools',
        delayMs: 0,
        source: `${run}.1`,
        callId: call,
        tool: 'write_file',
        toolVersion: 'b2f4a6c8d0e1',
        argsHash,
        timeoutMs: 60_000,
      },
    ],
    retries: [],
    timers: [],
    clearTimers: [],
  },
  'safety.suppressed': {
    turn: 1,
    messageId: message,
    evidence: [
      {
        detector: 'openai-compatible',
        field: 'finish_reason',
        value: 'content_filter',
      },
    ],
    calls: suppressed,
    explanation:
      '[The provider stopped this answer for safety (finish_reason=content_filter, openai-compatible). ' +
      '1 tool call was not executed, because the arguments may be cut off.]',
  },
  'turn.cut': {
    turn: 1,
    messageId: message,
    verdict: 'length',
    calls: suppressed,
    explanation:
      '[The answer reached its length limit. 1 tool call was not executed, because the arguments may be cut off.]',
  },
  'turn.continued': {
    turn: 1,
    messageId: message,
    text: 'Your answer was cut off at its length limit. Go on exactly where it ended.',
  },
  'answer.missing': { turn: 2, messageId: message, text: '[The model gave no answer.]' },
  'guardrail.tripped': { turn: 1, correction: 1, messageId: message, trip, calls: [] },
  'guardrail.redacted': {
    turn: 1,
    guardrail: { id: 'secrets', name: 'Secrets' },
    kind: 'github-token',
    place: 'arguments',
    callId: call,
    tool: 'write_file',
    count: 1,
  },
  'guardrail.stopped': {
    turn: 1,
    corrections: 3,
    messageId: message,
    trip,
    calls: [],
    explanation: '[A guardrail (Banned terms) stopped this answer.]',
  },
  'model.retried': {
    turn: 1,
    retry: 1,
    class: 'rate_limit',
    message: 'Too many requests.',
    delayMs: 1000,
    error: {
      class: 'rate_limit',
      status: 429,
      provider: 'openai',
      model: 'gpt-5',
      keyEnv: 'OPENAI_API_KEY',
      message: 'rate_limit: 429 from openai (OPENAI_API_KEY): too many requests, try again later',
    },
  },
  'model.replaced': {
    turn: 1,
    from: 'claude-sonnet-4-5',
    to: 'gpt-5',
    class: 'overloaded',
    message: 'Overloaded',
  },
  'call.denied': {
    callId: call,
    tool: 'bash',
    code: 'oap.dangerous_operation',
    message: 'The command is dangerous (removing from a protected place): no passport allows it.',
    ...policy,
  },
  'policy.warned': {
    callId: call,
    tool: 'bash',
    argsHash,
    code: 'acme.large',
    message: 'More than ten files are changed at once.',
    ...policy,
  },
  'policy.faulted': {
    callId: call,
    tool: 'bash',
    policyId: 'opa',
    message: 'The policy server did not answer within 2000 ms.',
  },
  'approval.requested': {
    callId: call,
    tool: 'transfer',
    argsHash,
    approvalId: 'a_0b6a4f1e2c77_1_0',
    policyId: 'lists',
    reason: 'A person must approve each call of the tool "transfer".',
    expiresAt: 1_795_212_000_000,
  },
  'approval.reused': { callId: call, tool: 'transfer', argsHash, scope: 'run' },
  'approval.skipped': {
    callId: call,
    tool: 'transfer',
    argsHash,
    policyId: 'lists',
    reason: 'A person must approve each call of the tool "transfer".',
  },
  'approval.expired': { callId: call, tool: 'transfer', approvalId: 'a_0b6a4f1e2c77_1_0' },
  'loop.warned': {
    ...loop,
    layer: 'identical_call_set',
    count: 3,
    threshold: 3,
    text:
      '[LOOP DETECTED] You have asked for the same calls (read_file) 3 times. ' +
      'Stop repeating yourself: use what you have, or do something else.',
  },
  'loop.stopped': {
    ...loop,
    layer: 'identical_call_set',
    count: 5,
    threshold: 5,
    messageId: message,
    text:
      '[FORCED STOP] You have asked for the same calls (read_file) 5 times. The limit is 5: ' +
      'the calls of this message were not executed, and the run ends here.',
  },
  'budget.warned': {
    budget: 'turns',
    used: 40,
    limit: 50,
    text: '[BUDGET] You have used 40 of 50 turns. Finish with what you have.',
  },
  'budget.exhausted': {
    budget: 'turns',
    used: 50,
    limit: 50,
    messageId: message,
    text: '[BUDGET EXHAUSTED] The run was stopped: it has used 50 of 50 turns.',
  },
  'rerun.stopped': {
    callId: call,
    tool: 'write_file',
    code: 'call_not_recorded',
    reason: 'never_made',
    recorded: 0,
    messageId: message,
    text:
      `[The rerun stopped (call_not_recorded): the model asked for a call of write_file (${call}) that was never ` +
      'recorded: the run that it repeats never made this call with these arguments. Nothing was executed.]',
  },
  'input.taken': { turn: 3, through: 12 },
  'input.left': { through: 12 },
  'event.ignored': { seq: 14, type: 'approval.answered', state: 'tools' },
  'effect.started': { ...of, leaseMs: 15_000, owner: 'worker-1.4711.9f3c01ab' },
  'tool.late': {
    ...ofCall,
    error: 'tool.completed arrived when it could no longer count (fenced)',
  },
  'webhook.delivered': { effectId: `${run}.3`, attempt: 2, durationMs: 84, status: 204 },
  'webhook.failed': {
    effectId: `${run}.3`,
    attempt: 1,
    durationMs: 10_000,
    status: null,
    code: 'timeout',
    retryMs: 5_213,
  },
  'webhook.replayed': { effectId: `${run}.3`, attempt: 8 },
  'payload.erased': { seq: 1, reason: 'Asked for by the person concerned.' },
  'run.hidden': {},
  'thread.hidden': {},
  'state.repaired': { seq: 42 },
  'key.created': {
    key: '9f3c01ab5d7e2f40',
    name: 'ci',
    scopes: ['enqueue', 'read'],
    expiresAt: null,
  },
  'key.revoked': { key: '9f3c01ab5d7e2f40' },
  'definition.used': { hash: definitionHash, agent: 'writer' },
  'assistant.changed': {
    assistant: '0b6a4f1e-2c77-4d55-8a10-7c3e9d550b6a',
    change: 'updated',
    agent: 'writer',
    version: 3,
  },
  'export.made': { format: 'ndjson', filter: { type: 'call.denied' }, events: null },
  'log.searched': { path: '/events', hour: 1_795_384_800_000 },
  'user.pseudonymized': { pseudonym: 'u_3f6c0d2b9a7e4c1d8f5b2a6c9e0d7f41' },
  'pause.set': {
    pause: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77',
    target: { tool: 'send_mail' },
    reason: 'The relay rejects mail.',
    until: 1_795_384_800_000,
  },
  'pause.lifted': {
    pause: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77',
    target: { tool: 'send_mail' },
    reason: 'The relay accepts mail again.',
  },
}
