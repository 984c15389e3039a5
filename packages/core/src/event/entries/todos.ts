/** The entries of decisions about the plan of a model. */
import type { DecisionEntries } from '../entry.ts'
import { writtenText } from '../../todo/words.ts'
import { exampleCall } from './example-parts.ts'

/** Entries by type. */
export const todoEntries = {
  'todo.written': {
    says: ({ todos, open }, isVerbose) => [
      `${todos.length} items, ${open} open`,
      isVerbose ? todos.map(({ text, status }) => `${text} (${status})`).join('; ') : '',
    ],
    searched: ['$.todos[*].text'],
    place: 'call',
    heard: ({ callId, todos }) => ({ as: 'result', callId, text: writtenText(todos), todos }),
    example: {
      callId: exampleCall,
      turn: 1,
      todos: [
        { text: 'Read the report.', status: 'completed' },
        { text: 'Write the summary.', status: 'in_progress' },
      ],
      open: 1,
    },
  },
  'todo.reminded': {
    tone: 'notice',
    says: ({ nth, open }) => [`reminder ${nth}`, `${open} open`],
    searched: [],
    isNotable: true,
    place: 'verdict',
    heard: ({ text }) => ({ as: 'reminder', text }),
    example: {
      turn: 4,
      nth: 1,
      open: 1,
      text: '[TODO] Your list has 1 item that is not completed. Go on with the task.',
    },
  },
} satisfies Partial<DecisionEntries>
