/** The entries of decisions about the room that a conversation has. */
import type { DecisionEntries } from '../entry.ts'
import { exampleRun } from './example-parts.ts'

/** Entries by type. */
export const contextEntries = {
  'context.pruned': {
    says: ({ results, inputs, tokens }) => [
      `${results} ${results === 1 ? 'result' : 'results'} cleared`,
      inputs === 0 ? '' : `${inputs} long ${inputs === 1 ? 'message' : 'messages'} shortened`,
      `${tokens.before} → ${tokens.after} tokens`,
    ],
    searched: [],
    place: 'beside',
    heard: ({ through, rule }) => ({ as: 'pruning', through, rule }),
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
} satisfies Partial<DecisionEntries>
