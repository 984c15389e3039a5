/** Safety lines of what is said to a run that goes on, as in `mutations.ts`. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`
const core = (file: string): string => `packages/core/src/${file}`

export const steeringMutations: readonly Mutation[] = [
  {
    name: 'a run completes although somebody has spoken since (J1)',
    file: core('machine/run-machine.ts'),
    line: "        { guard: 'hasMore', target: 'loop' },\n",
    becomes: '',
  },
  {
    name: 'what comes behind the end of a batch is passed over (D7)',
    file: core('decide.ts'),
    line: 'if (ends && rest.some(isInput)) {',
    becomes: 'if (ends && rest.length > 1_000) {',
    test: {
      file: 'packages/core/test/injected.test.ts',
      name: 'hears what came behind the answer that would have ended it',
    },
  },
  {
    name: 'a run does not say what it left (J2)',
    file: core('decide.ts'),
    line: '    if (ends) emissions.push({ verdicts: leftVerdicts(state.context) })\n',
    becomes: '',
  },
  {
    name: 'words stand in the log and in no prompt (J1)',
    file: core('conversation/project.ts'),
    line: "    case 'input':\n",
    becomes: '',
  },
  {
    name: 'words are said again with every request (S2)',
    file: engine('inject-input.ts'),
    line: 'const key = `input:${uuidOf(request.key)}`',
    becomes: 'const key = `input:${deps.random.uuid()}`',
  },
]
