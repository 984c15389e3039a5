/** The entries of decisions of the loop check and of budgets. */
import type { DecisionPayload } from '../decision.ts'
import { type DecisionEntries, limitParts, type LineParts, spoken } from '../entry.ts'
import { answerId, loop } from './example-parts.ts'

/** Entries by type. */
export const limitEntries = {
  'loop.warned': {
    tone: 'notice',
    says: loopParts,
    searched: ['$.text', '$.tools[*]'],
    isNotable: true,
    place: 'verdict',
    heard: ({ text }) => ({ as: 'reminder', text }),
    example: {
      ...loop,
      layer: 'identical_call_set',
      count: 3,
      threshold: 3,
      text:
        '[LOOP DETECTED] You have asked for the same calls (read_file) 3 times. ' +
        'Stop repeating yourself: use what you have, or do something else.',
    },
  },
  'loop.stopped': {
    tone: 'alarm',
    says: loopParts,
    searched: ['$.text', '$.tools[*]'],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
    place: 'verdict',
    heard: spoken,
    endsAs: 'loop_stopped',
    isObjection: true,
    example: {
      ...loop,
      layer: 'identical_call_set',
      count: 5,
      threshold: 5,
      messageId: answerId,
      text:
        '[FORCED STOP] You have asked for the same calls (read_file) 5 times. The limit is 5: ' +
        'the calls of this message were not executed, and the run ends here.',
    },
  },
  'budget.warned': {
    tone: 'notice',
    says: limitParts,
    searched: [],
    isNotable: true,
    place: 'beside',
    heard: ({ text }) => ({ as: 'reminder', text }),
    example: {
      budget: 'turns',
      used: 40,
      limit: 50,
      text: '[BUDGET] You have used 40 of 50 turns. Finish with what you have.',
    },
  },
  'budget.exhausted': {
    tone: 'alarm',
    says: limitParts,
    searched: [],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
    place: 'verdict',
    heard: spoken,
    endsAs: 'budget_exhausted',
    isObjection: true,
    example: {
      budget: 'turns',
      used: 50,
      limit: 50,
      messageId: answerId,
      text: '[BUDGET EXHAUSTED] The run was stopped: it has used 50 of 50 turns.',
    },
  },
} satisfies Partial<DecisionEntries>

const loops = {
  identical_call_set: 'times the same calls',
  tool_frequency: 'calls of one tool',
  alternating_cycle: 'rounds of the same sets',
  stagnant_results: 'sets with the same results',
} as const

function loopParts({ layer, count, tools }: DecisionPayload<'loop.warned'>): LineParts {
  const names = [...new Set(tools)].slice(0, 8).join(', ')
  return [`${layer}: ${count} ${loops[layer]}`, names === '' ? '' : `(${names})`]
}
