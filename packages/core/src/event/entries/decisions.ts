/** The entries of decisions: the step itself, and what was said to a run. Verdicts stand in files of their own, by what they are about. */
import type { DecisionEntries, Heard } from '../entry.ts'
import { answerEntries } from './answers.ts'
import { callEntries } from './calls.ts'
import { contextEntries } from './context.ts'
import { limitEntries } from './limits.ts'
import { questionEntries } from './questions.ts'
import { skillEntries } from './skills.ts'
import { todoEntries } from './todos.ts'
import { argsHash, exampleCall, exampleRun } from './example-parts.ts'

const heardInput = ({ through }: { readonly through: number }): Heard => ({ as: 'input', through })

/** Entries by type. */
export const decisionEntries = {
  ...answerEntries,
  ...callEntries,
  ...limitEntries,
  ...contextEntries,
  ...todoEntries,
  ...questionEntries,
  ...skillEntries,
  'run.transitioned': {
    says: ({ path, outcome }) => [path.join(' → '), outcome === null ? '' : `(${outcome})`],
    searched: [],
    place: 'decision',
    example: {
      from: 2,
      through: 6,
      path: ['model', 'safety', 'guardrail', 'tools'],
      outcome: null,
      effects: [
        {
          kind: 'tool.call',
          id: `${exampleRun}.2`,
          mode: 'idempotent',
          queue: 'tools',
          delayMs: 0,
          source: `${exampleRun}.1`,
          callId: exampleCall,
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
  },
  'input.taken': {
    says: ({ turn }) => [`turn ${turn}`],
    searched: [],
    place: 'beside',
    heard: heardInput,
    example: { turn: 3, through: 12 },
  },
  'input.left': {
    says: ({ through }) => [`up to event ${through}`],
    searched: [],
    place: 'beside',
    heard: heardInput,
    example: { through: 12 },
  },
  'event.ignored': {
    says: ({ type }) => [type],
    searched: [],
    place: 'call',
    example: { seq: 14, type: 'approval.answered', state: 'tools' },
  },
} satisfies DecisionEntries
