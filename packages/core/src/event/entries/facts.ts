/** The entries of facts. */
import type { PolicyAnswer } from '../../policy-answer.ts'
import type { SandboxReport } from '../../sandbox.ts'
import type { FactPayload } from '../fact.ts'
import {
  contentPaths,
  type FactEntries,
  limitParts,
  nothing,
  type LineParts,
  approvalReach,
  withWord,
  words,
} from '../entry.ts'
import { contextFactEntries } from './context.ts'
import {
  answerId,
  argsHash,
  exampleCall,
  child,
  of,
  ofExampleCall,
  policy,
  policyDigest,
  exampleRun,
  said,
} from './example-parts.ts'

const part = '$.turn.message.parts[*]'
const ms = ({ durationMs }: { readonly durationMs: number }): string => `${durationMs} ms`
const json = (isVerbose: boolean, value: unknown): string =>
  isVerbose && value !== undefined ? JSON.stringify(value) : ''

/** The fields that the entries of all facts that end a call have in common. */
const settlesCall = { place: 'call', settles: 'call', isConversation: true } as const
const settlesToolCall = { ...settlesCall, effect: 'tool.call' } as const

/** The names of files that a fact says, and what it says of a content. */
const filePaths = ['$.files[*].path', '$.files[*].text'] as const

function counted(files: FactPayload<'run.created'>['files']): string {
  if (files === undefined) return ''
  const count = Array.isArray(files) ? files.length : files.count
  return `${count} ${count === 1 ? 'file' : 'files'}`
}

const inSandbox = ({ adapter, ended, exitCode }: SandboxReport): string =>
  `${adapter} ${ended === 'exited' ? `exit code ${exitCode}` : ended}`

/** Entries by type. */
export const factEntries = {
  ...contextFactEntries,
  'run.created': {
    says: ({ agent, files, filesFrom }) => [
      agent,
      counted(files),
      withWord('files of', filesFrom?.at.runId),
    ],
    searched: [
      ...contentPaths('$.input[*].parts'),
      ...contentPaths('$.history[*].parts'),
      ...contentPaths('$.edit.messages[*].parts'),
      ...filePaths,
    ],
    place: 'run',
    isConversation: true,
    example: {
      agent: 'writer',
      definitionHash: '7c4a8d09ca3762af61e59520943dc26494f8941b6f4bb0a4f3a9c0d1e2f3a4b5',
      machine: 'run',
      machineVersion: 1,
      input: [{ id: 'u_1', role: 'user', parts: [{ type: 'text', text: 'Write a report.' }] }],
      metadata: {},
      user: { id: 'ann', role: 'lead' },
      endUser: 'u_3f6c0d2b9a7e4c1d8f5b2a6c9e0d7f41',
    },
  },
  'run.admitted': {
    says: nothing,
    searched: [],
    place: 'beside',
    example: {},
  },
  'model.completed': {
    says: (payload, isVerbose) => {
      const calls = callsOf(payload, isVerbose)
      return [payload.turn.verdict, ms(payload), withWord('calls', calls.join(', '))]
    },
    searched: [
      `${part} ? (@.type == "text").text`,
      `${part} ? (@.type == "blob").preview`,
      `${part} ? (@.type == "tool_call").name`,
      `${part} ? (@.type == "tool_call").args`,
    ],
    place: 'answer',
    effect: 'model.call',
    settles: 'model',
    isConversation: true,
    example: {
      effectId: `${exampleRun}.1`,
      attempt: 1,
      turn: {
        verdict: 'complete',
        message: {
          id: answerId,
          role: 'assistant',
          parts: [
            { type: 'text', text: 'I write the file.' },
            {
              type: 'tool_call',
              id: exampleCall,
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
  },
  'model.aborted': {
    says: nothing,
    searched: [],
    place: 'answer',
    effect: 'model.call',
    settles: 'model',
    example: { effectId: `${exampleRun}.1`, attempt: 1 },
  },
  'tool.completed': {
    says: (payload, isVerbose) => [
      ms(payload),
      payload.output.isError ? 'answers with an error' : '',
      payload.sandbox ? inSandbox(payload.sandbox) : '',
      json(isVerbose, payload.output.content),
    ],
    searched: [...contentPaths('$.output.content'), ...filePaths],
    ...settlesToolCall,
    example: {
      ...ofExampleCall,
      output: { ...said, isError: false },
      durationMs: 12,
      files: [{ path: 'report.md', key: 'f3a1…', bytes: 5120 }],
    },
  },
  'tool.failed': {
    tone: 'alarm',
    says: (payload, isVerbose) => [
      payload.error.code,
      ms(payload),
      words(isVerbose, payload.error.message),
    ],
    searched: ['$.error.code', '$.error.message'],
    ...settlesToolCall,
    example: {
      ...ofExampleCall,
      error: {
        code: 'tool_timeout',
        message: 'write_file did not finish within 60000 ms. It was stopped.',
      },
      durationMs: 60_003,
    },
  },
  'tool.denied': {
    tone: 'notice',
    says: ({ answer, configuration }, isVerbose) => [
      answer.reasons[0]?.code ?? '',
      withWord('by', answer.policyId),
      configuration === 'current'
        ? 'right before its execution, by the configuration of the worker'
        : 'right before its execution',
      words(isVerbose, answer.reasons[0]?.message),
    ],
    searched: ['$.answer.reasons[*].code', '$.answer.reasons[*].message'],
    ...settlesToolCall,
    isObjection: true,
    example: {
      ...ofExampleCall,
      tool: 'write_file',
      answer: {
        effect: 'deny',
        reasons: [{ code: 'oap.passport_suspended', message: 'The passport is not active.' }],
        ...policy,
      },
    },
  },
  'tool.aborted': {
    tone: 'notice',
    says: ({ reason }) => [reason],
    searched: [],
    ...settlesToolCall,
    example: { ...ofExampleCall, reason: 'cancelled' },
  },
  'recall.missed': {
    says: ({ callId }) => [callId],
    searched: [],
    ...settlesCall,
    effect: 'tool.recall',
    example: { ...ofExampleCall, tool: 'write_file', argsHash, reason: 'never_made', recorded: 0 },
  },
  'tool.unknown': {
    tone: 'alarm',
    says: ({ reason, effectId }) => [reason, effectId],
    searched: [],
    ...settlesToolCall,
    example: { ...ofExampleCall, reason: 'worker_lost' },
  },
  'tool.resolved': {
    says: ({ resolution, note }, isVerbose) => [resolution, words(isVerbose, note)],
    searched: ['$.note', ...contentPaths('$.output.content')],
    place: 'call',
    effect: 'tool.call',
    isConversation: true,
    example: {
      effectId: `${exampleRun}.2`,
      callId: exampleCall,
      resolution: 'happened',
      note: 'The transfer is in the bank statement.',
    },
  },
  'child.started': {
    says: ({ childRunId }) => [childRunId],
    searched: [],
    place: 'call',
    effect: 'run.start',
    example: { ...ofExampleCall, childRunId: child },
  },
  'child.ended': {
    says: (payload, isVerbose) => [
      payload.childRunId,
      withWord('of', payload.agent),
      payload.partial ? 'partial' : '',
      `used ${payload.spent.tokens} tokens`,
      counted(payload.files),
      objections(payload),
      json(isVerbose, payload.output.content),
    ],
    searched: [...contentPaths('$.output.content'), ...filePaths],
    ...settlesCall,
    effect: 'run.start',
    example: {
      effectId: `${exampleRun}.2`,
      callId: exampleCall,
      childRunId: child,
      outcome: 'completed',
      output: {
        content: [{ type: 'text', text: 'Three ships are due on Monday.' }],
        isError: false,
      },
      resultHash: '4f1d2a6c8b0e3d57',
      spent: { turns: 2, calls: 1, tokens: 1840, cost: 7020, activeMs: 5310 },
      verdicts: [{ seq: 5, type: 'call.denied', tool: 'bash', code: 'oap.dangerous_operation' }],
    },
  },
  'budget.refused': {
    tone: 'alarm',
    says: limitParts,
    searched: [],
    ...settlesCall,
    example: { ...ofExampleCall, budget: 'calls', used: 200, limit: 200 },
  },
  'policy.answered': {
    says: ({ decisions }) => {
      const faults = decisions.flatMap((decision) => decision.faults).length
      const answers = decisions.map(({ answer }) => answer)
      return [effectsIn(answers), faults === 0 ? '' : `${faults} could not answer`]
    },
    searched: [],
    place: 'call',
    settles: 'question',
    example: {
      ...of,
      decisions: [
        {
          callId: exampleCall,
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
  },
  'approval.answered': {
    tone: 'notice',
    says: ({ decision, callId, by, scope, note }, isVerbose) => [
      decision,
      callId,
      withWord('by', by?.id),
      withWord('for', approvalReach(scope)),
      words(isVerbose, note),
    ],
    searched: ['$.note', '$.edited.args'],
    place: 'call',
    isConversation: true,
    example: {
      callId: exampleCall,
      tool: 'write_file',
      decision: 'approve',
      argsHash,
      note: 'Ada called.',
      scope: 'once',
      by: { id: 'ann', role: 'lead' },
    },
  },
  'input.injected': {
    says: ({ messages, by }) => [
      `${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`,
      withWord('by', by?.id),
    ],
    searched: contentPaths('$.messages[*].parts'),
    place: 'beside',
    isConversation: true,
    example: {
      messages: [
        { id: 'u_2', role: 'user', parts: [{ type: 'text', text: 'In German, please.' }] },
      ],
      bytes: 18,
      by: { id: 'ann', role: 'lead' },
    },
  },
  'input.answered': {
    says: ({ callId, by, output }, isVerbose) => [
      callId,
      withWord('by', by?.id),
      json(isVerbose, output.content),
    ],
    searched: contentPaths('$.output.content'),
    place: 'call',
    isConversation: true,
    example: {
      callId: exampleCall,
      output: { content: [{ type: 'text', text: 'The user chose: Savings' }], isError: false },
      answer: { option: 'Savings' },
      by: { id: 'ann', role: 'clerk' },
    },
  },
  'cancel.requested': {
    tone: 'notice',
    says: ({ reason = '' }) => [reason],
    searched: ['$.reason'],
    place: 'run',
    example: { action: 'interrupt', reason: 'The customer changed his mind.' },
  },
  'timer.fired': {
    says: ({ timerId }) => [timerId],
    searched: [],
    place: 'run',
    example: { timerId: 'timeout' },
  },
  'run.faulted': {
    tone: 'alarm',
    says: ({ code, message }) => [code, message],
    searched: ['$.code', '$.message'],
    place: 'run',
    example: { code: 'poison', message: 'model.completed: turn: expected object' },
  },
} satisfies FactEntries

/** The calls of a turn, as `name` or, when everything is said, `name{…}`. */
const callsOf = ({ turn }: FactPayload<'model.completed'>, isVerbose: boolean): LineParts =>
  turn.message.parts.flatMap((each) =>
    each.type === 'tool_call' ? [`${each.name}${json(isVerbose, each.args)}`] : [],
  )

/** The objections in a run (denied, suppressed, stopped), by code: `2 objections (not_allowed, oap.limit_exceeded)`. */
function objections({ verdicts }: FactPayload<'child.ended'>): string {
  if (verdicts.length === 0) return ''
  const codes = [...new Set(verdicts.map(({ code }) => code))].slice(0, 8)
  const noun = verdicts.length === 1 ? 'objection' : 'objections'
  return `${verdicts.length} ${noun} (${codes.join(', ')})`
}

/** `2 allow, 1 deny`. */
const effectsIn = (answers: readonly PolicyAnswer[]): string =>
  (['allow', 'warn', 'deny', 'require_approval'] as const)
    .map((effect) => ({ effect, count: answers.filter((each) => each.effect === effect).length }))
    .filter(({ count }) => count > 0)
    .map(({ effect, count }) => `${count} ${effect}`)
    .join(', ')
