/** The entries of notes. */
import { contentPaths, type NoteEntries, nothing, timeOf, withWord, words } from '../entry.ts'
import { child, exampleDefinition, of, ofExampleCall, exampleRun } from './example-parts.ts'
import type { PauseTarget } from '../ledger.ts'

/** `agent clerk`. */
const targetOf = (target: PauseTarget): string => Object.entries(target).flat().join(' ')

/** Entries by type. */
export const noteEntries = {
  'effect.started': {
    says: ({ attempt }) => [`attempt ${attempt}`],
    searched: [],
    place: 'attempt',
    example: { ...of, leaseMs: 15_000, owner: 'worker-1.4711.9f3c01ab' },
  },
  'tool.late': {
    tone: 'notice',
    says: ({ attempt, error }, isVerbose) => [`attempt ${attempt}`, words(isVerbose, error)],
    searched: ['$.error', ...contentPaths('$.output.content')],
    place: 'call',
    example: {
      ...ofExampleCall,
      error: 'tool.completed arrived when it could no longer count (fenced)',
    },
  },
  'webhook.delivered': {
    says: ({ attempt, status, durationMs }) => [
      `attempt ${attempt}`,
      `${status}`,
      `${durationMs} ms`,
    ],
    searched: [],
    place: 'beside',
    example: { effectId: `${exampleRun}.3`, attempt: 2, durationMs: 84, status: 204 },
  },
  'webhook.failed': {
    says: ({ attempt, status, code, retryMs }) => [
      `attempt ${attempt}`,
      code,
      status === null ? '' : `${status}`,
      retryMs === null ? 'no more' : `again in ${retryMs} ms`,
    ],
    searched: [],
    place: 'beside',
    example: {
      effectId: `${exampleRun}.3`,
      attempt: 1,
      durationMs: 10_000,
      status: null,
      code: 'timeout',
      retryMs: 5_213,
    },
  },
  'webhook.replayed': {
    says: ({ effectId }) => [effectId],
    searched: [],
    place: 'beside',
    example: { effectId: `${exampleRun}.3`, attempt: 8 },
  },
  'thread.titled': {
    says: ({ by, title }, isVerbose) => [by, words(isVerbose, title)],
    searched: ['$.title'],
    place: 'beside',
    example: {
      title: 'Quarterly report of the southern branch',
      by: 'model',
      effectId: `${exampleRun}.3`,
      attempt: 1,
      sources: { from: 1, through: 9 },
      usage: { inputTokens: 312, outputTokens: 9 },
      provider: 'openai',
      model: 'gpt-5-mini',
      durationMs: 640,
    },
  },
  'title.unchanged': {
    tone: 'notice',
    says: ({ reason, guardrail, error }) => [reason, guardrail?.id ?? '', error ?? ''],
    searched: [],
    place: 'beside',
    example: {
      effectId: `${exampleRun}.3`,
      attempt: 1,
      reason: 'apology',
      usage: { inputTokens: 312, outputTokens: 40 },
      provider: 'openai',
      model: 'gpt-5-mini',
      durationMs: 810,
    },
  },
  'memory.asked': {
    says: ({ runId }) => [withWord('run', runId)],
    searched: [],
    place: 'beside',
    example: { effectId: `${exampleRun}.3`, attempt: 1, runId: child },
  },
  'memory.skipped': {
    says: ({ reason }) => [reason],
    searched: [],
    place: 'beside',
    example: { effectId: `${exampleRun}.3`, attempt: 1, reason: 'newer_run' },
  },
  'payload.erased': {
    says: ({ seq, reason }) => [`event ${seq}`, reason],
    searched: ['$.reason'],
    place: 'erasure',
    isReserved: true,
    example: { seq: 1, reason: 'Asked for by the person concerned.' },
  },
  'run.hidden': {
    says: nothing,
    searched: [],
    place: 'beside',
    example: {},
  },
  'thread.hidden': {
    says: nothing,
    searched: [],
    place: 'beside',
    example: {},
  },
  'state.repaired': {
    says: ({ seq }) => [`at event ${seq}`],
    searched: [],
    place: 'beside',
    example: { seq: 42 },
  },
  'key.created': {
    says: ({ key, name }) => [key, name],
    searched: [],
    place: 'beside',
    example: {
      key: '9f3c01ab5d7e2f40',
      name: 'ci',
      scopes: ['enqueue', 'read'],
      expiresAt: null,
    },
  },
  'key.revoked': {
    says: ({ key }) => [key],
    searched: [],
    place: 'beside',
    example: { key: '9f3c01ab5d7e2f40' },
  },
  'definition.used': {
    says: ({ agent, hash }) => [agent, hash.slice(0, 12)],
    searched: [],
    place: 'beside',
    example: { hash: exampleDefinition, agent: 'writer' },
  },
  'assistant.changed': {
    says: ({ assistant, change, agent }) => [assistant, change, withWord('of', agent)],
    searched: [],
    place: 'beside',
    example: {
      assistant: '0b6a4f1e-2c77-4d55-8a10-7c3e9d550b6a',
      change: 'updated',
      agent: 'writer',
      version: 3,
    },
  },
  'export.made': {
    says: ({ format, events }) => [format, events === null ? '' : `${events} events`],
    searched: [],
    place: 'beside',
    example: { format: 'ndjson', filter: { type: 'call.denied' }, events: null },
  },
  'log.searched': {
    says: ({ path }) => [path],
    searched: [],
    place: 'beside',
    example: { path: '/events', hour: 1_795_384_800_000 },
  },
  'user.pseudonymized': {
    says: ({ pseudonym }) => [pseudonym],
    searched: [],
    place: 'beside',
    example: { pseudonym: 'u_3f6c0d2b9a7e4c1d8f5b2a6c9e0d7f41' },
  },
  'memory.set': {
    says: ({ memory, paused }) => [memory, paused ? 'paused' : 'goes on'],
    searched: [],
    place: 'beside',
    example: { memory: '7c0a1d52-3f61-8b0e-a94d-55e1c27f0b13', paused: true },
  },
  'memory.erased': {
    tone: 'notice',
    says: ({ memory, texts }) => [memory, `${texts} texts`],
    searched: [],
    place: 'beside',
    example: { memory: '7c0a1d52-3f61-8b0e-a94d-55e1c27f0b13', texts: 12 },
  },
  'pause.set': {
    says: ({ target, until, reason }, isVerbose) => [
      targetOf(target),
      withWord('until', timeOf(until ?? null)),
      words(isVerbose, reason),
    ],
    searched: ['$.reason'],
    place: 'beside',
    example: {
      pause: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77',
      target: { tool: 'send_mail' },
      reason: 'The relay rejects mail.',
      until: 1_795_384_800_000,
    },
  },
  'pause.lifted': {
    says: ({ target, reason }, isVerbose) => [targetOf(target), words(isVerbose, reason)],
    searched: ['$.reason'],
    place: 'beside',
    example: {
      pause: '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77',
      target: { tool: 'send_mail' },
      reason: 'The relay accepts mail again.',
    },
  },
} satisfies NoteEntries
