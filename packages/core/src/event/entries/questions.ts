/** The entries of decisions about questions of the model. */
import type { DecisionEntries } from '../entry.ts'
import { timeOf, withWord, words } from '../entry.ts'
import { argsHash, exampleCall } from './example-parts.ts'

/** Entries by type. */
export const questionEntries = {
  'input.requested': {
    tone: 'notice',
    says: ({ callId, question, kind, expiresAt }, isVerbose) => [
      callId,
      kind,
      withWord('until', timeOf(expiresAt)),
      words(isVerbose, question),
    ],
    searched: ['$.question', '$.why', '$.options[*]'],
    isNotable: true,
    place: 'call',
    example: {
      callId: exampleCall,
      argsHash,
      turn: 2,
      question: 'Which account is to be charged?',
      kind: 'choice',
      options: ['Savings', 'Checking'],
      expiresAt: 1_769_904_000_000,
    },
  },
  'input.expired': {
    tone: 'notice',
    says: ({ callId }) => [callId],
    searched: [],
    isNotable: true,
    place: 'call',
    heard: ({ callId, text }) => ({ as: 'result', callId, text }),
    example: {
      callId: exampleCall,
      text: 'Nobody answered in time. Go on with assumptions, and say in your answer what you assumed.',
    },
  },
} satisfies Partial<DecisionEntries>
