/** The entries of events about the room that a conversation has. */
import { contentPaths, type DecisionEntries, type FactEntries, spoken } from '../entry.ts'
import { answerId, exampleDefinition, exampleRun, of } from './example-parts.ts'

/** Entries of decisions, by type. */
export const contextEntries = {
  'context.pruned': {
    says: ({ results, inputs, images = 0, tokens }) => [
      `${results} ${results === 1 ? 'result' : 'results'} cleared`,
      inputs === 0 ? '' : `${inputs} long ${inputs === 1 ? 'message' : 'messages'} shortened`,
      images === 0 ? '' : `${images} ${images === 1 ? 'image' : 'images'} left out`,
      `${tokens.before} → ${tokens.after} tokens`,
    ],
    searched: [],
    place: 'beside',
    heard: ({ through, rule, results, inputs, images }) => ({
      as: 'pruning',
      through: images !== undefined && results + inputs === 0 ? null : through,
      rule,
    }),
    example: {
      turn: 24,
      through: { runId: exampleRun, seq: 118 },
      results: 19,
      inputs: 0,
      tokens: { before: 115_800, after: 69_400 },
      rule: {
        minChars: 1_000,
        exclude: ['load_skill'],
        wordsChars: 8_000,
        ownChars: 288_000,
        readable: true,
      },
    },
  },
  'context.exhausted': {
    tone: 'alarm',
    says: ({ turn, tokens, window }) => [
      `turn ${turn}`,
      tokens === null ? '' : `${tokens} tokens`,
      window === null ? '' : `window of ${window}`,
    ],
    searched: ['$.text'],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
    place: 'beside',
    heard: spoken,
    isObjection: true,
    example: {
      turn: 3,
      tokens: 131_000,
      window: 128_000,
      tried: ['prune', 'compact'],
      messageId: answerId,
      text: '[CONTEXT FULL] The run was stopped: its request does not fit the model (some 131000 tokens), and nothing is left that could make it lighter.',
    },
  },
} satisfies Partial<DecisionEntries>

/** The facts that end a compaction have this in common. */
const settlesCompaction = { place: 'beside', effect: 'context.compact', settles: 'model' } as const

/** Entries of facts, by type. */
export const contextFactEntries = {
  'context.compacted': {
    says: ({ tokens, how, model }) => [
      `${tokens.before} → ${tokens.after} tokens`,
      `a summary of ${tokens.summary} by ${model}`,
      how,
    ],
    searched: contentPaths('$.summary'),
    ...settlesCompaction,
    isConversation: true,
    example: {
      ...of,
      through: { runId: exampleRun, seq: 118 },
      keep: { runId: exampleRun, seq: 119 },
      summary: [
        { type: 'text', text: 'The user wants a report on ships. Two of three sources are read.' },
      ],
      appendix: 'Calls that failed:\n- fetch "https://example.org/b": http_404',
      sources: {
        from: { runId: exampleRun, seq: 1 },
        through: { runId: exampleRun, seq: 118 },
        events: 71,
        digest: exampleDefinition,
      },
      tokens: { before: 104_300, after: 14_800, summary: 1_900 },
      how: 'shared',
      provider: 'anthropic',
      model: 'claude-sonnet',
      usage: { inputTokens: 105_100, outputTokens: 1_900, cachedInputTokens: 104_200 },
      durationMs: 18_400,
    },
  },
  'context.unchanged': {
    tone: 'notice',
    says: ({ reason, error, guardrail }) => [reason, error?.class ?? '', guardrail?.id ?? ''],
    searched: [],
    ...settlesCompaction,
    example: {
      ...of,
      reason: 'too_long',
      provider: 'anthropic',
      model: 'claude-sonnet',
      usage: { inputTokens: 105_100, outputTokens: 50_000 },
      durationMs: 61_000,
    },
  },
} satisfies Partial<FactEntries>
