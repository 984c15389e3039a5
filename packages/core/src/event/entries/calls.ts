/** The entries of decisions about a call: what policies, humans and the log of a rerun say. */
import { type DecisionEntries, approvalReach, spoken, timeOf, withWord, words } from '../entry.ts'
import { answerId, argsHash, exampleCall, policy } from './example-parts.ts'

const ofReasons = ['$.code', '$.message', '$.reasons[*].code', '$.reasons[*].message']

/** Entries by type. */
export const callEntries = {
  'call.denied': {
    tone: 'notice',
    says: ({ code, policyId, message }, isVerbose) => [
      code,
      withWord('by', policyId),
      words(isVerbose, message),
    ],
    searched: ofReasons,
    isNotable: true,
    place: 'call',
    heard: ({ callId, code, message }) => ({ as: 'denial', callId, code, message }),
    isObjection: true,
    example: {
      callId: exampleCall,
      tool: 'bash',
      code: 'oap.dangerous_operation',
      message: 'The command is dangerous (removing from a protected place): no passport allows it.',
      ...policy,
    },
  },
  'policy.warned': {
    says: ({ code, policyId, message }, isVerbose) => [
      code,
      withWord('by', policyId),
      words(isVerbose, message),
    ],
    searched: ofReasons,
    isNotable: true,
    place: 'call',
    example: {
      callId: exampleCall,
      tool: 'bash',
      argsHash,
      code: 'acme.large',
      message: 'More than ten files are changed at once.',
      ...policy,
    },
  },
  'call.flagged': {
    tone: 'notice',
    says: ({ rule, policyId, message }, isVerbose) => [
      rule,
      withWord('by', policyId),
      words(isVerbose, message),
    ],
    searched: ['$.rule', '$.message'],
    isNotable: true,
    place: 'call',
    heard: ({ callId, rule, message }) => ({
      as: 'remark',
      callId,
      text: `[Audit, ${rule}: ${message}]`,
    }),
    example: {
      callId: exampleCall,
      tool: 'bash',
      rule: 'bash.sudo',
      message: 'It asks for rights of another user.',
      policyId: 'bash-audit',
      policyDigest: policy.policyDigest,
    },
  },
  'policy.faulted': {
    tone: 'alarm',
    says: ({ policyId, message }, isVerbose) => [
      policyId,
      'could not answer',
      words(isVerbose, message),
    ],
    searched: ['$.message'],
    isNotable: true,
    place: 'call',
    example: {
      callId: exampleCall,
      tool: 'bash',
      policyId: 'opa',
      message: 'The policy server did not answer within 2000 ms.',
    },
  },
  'approval.requested': {
    tone: 'notice',
    says: ({ approvalId, callId, policyId, expiresAt, reason }, isVerbose) => [
      approvalId || callId,
      withWord('by', policyId),
      withWord('until', timeOf(expiresAt)),
      words(isVerbose, reason),
    ],
    searched: ['$.reason'],
    place: 'call',
    example: {
      callId: exampleCall,
      tool: 'transfer',
      argsHash,
      approvalId: 'a_0b6a4f1e2c77_1_0',
      policyId: 'lists',
      reason: 'A person must approve each call of the tool "transfer".',
      expiresAt: 1_795_212_000_000,
    },
  },
  'approval.reused': {
    tone: 'notice',
    says: ({ callId, scope }) => [callId, `approved before for ${approvalReach(scope)}`],
    searched: [],
    isNotable: true,
    place: 'call',
    example: { callId: exampleCall, tool: 'transfer', argsHash, scope: 'run' },
  },
  'approval.skipped': {
    tone: 'notice',
    says: ({ callId, policyId, reason }, isVerbose) => [
      callId,
      'nobody is asked in a rerun',
      withWord('by', policyId),
      words(isVerbose, reason),
    ],
    searched: ['$.reason'],
    isNotable: true,
    place: 'call',
    example: {
      callId: exampleCall,
      tool: 'transfer',
      argsHash,
      policyId: 'lists',
      reason: 'A person must approve each call of the tool "transfer".',
    },
  },
  'approval.expired': {
    tone: 'notice',
    says: ({ approvalId, callId }) => [approvalId || callId, 'nobody answered in time'],
    searched: [],
    isNotable: true,
    place: 'call',
    isObjection: true,
    example: { callId: exampleCall, tool: 'transfer', approvalId: 'a_0b6a4f1e2c77_1_0' },
  },
  'rerun.stopped': {
    says: ({ callId, reason }) => [callId, reason],
    searched: ['$.text'],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
    place: 'call',
    heard: spoken,
    example: {
      callId: exampleCall,
      tool: 'write_file',
      code: 'call_not_recorded',
      reason: 'never_made',
      recorded: 0,
      messageId: answerId,
      text:
        `[The rerun stopped (call_not_recorded): the model asked for a call of write_file (${exampleCall}) that was never ` +
        'recorded: the run that it repeats never made this call with these arguments. Nothing was executed.]',
    },
  },
} satisfies Partial<DecisionEntries>
