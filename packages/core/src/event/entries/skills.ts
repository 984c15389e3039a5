/** The entries of decisions about skills. */
import { type DecisionEntries, withWord } from '../entry.ts'
import { exampleCall, policyDigest } from './example-parts.ts'

/** Entries by type. */
export const skillEntries = {
  'skill.activated': {
    says: ({ name, by, tools }) => [name, `by the ${by}`, withWord('names', tools?.join(', '))],
    searched: ['$.name'],
    place: 'verdict',
    example: {
      name: 'invoices',
      digest: policyDigest,
      by: 'model',
      tools: ['bash', 'read_file'],
      callId: exampleCall,
    },
  },
} satisfies Partial<DecisionEntries>
