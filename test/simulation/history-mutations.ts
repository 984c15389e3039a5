/** Safety lines of long histories and of what outlives a run, as in `mutations.ts`. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`
const memory = (file: string): string => `packages/testing/src/memory/${file}`

export const historyMutations: readonly Mutation[] = [
  {
    name: 'a claim that there is no room for is left to others (I22)',
    file: engine('record/full.ts'),
    line: "claims.some(({ code }) => code === 'full') ||",
    becomes: '',
  },
  {
    name: 'a decision that was refused is tried again (I22)',
    file: engine('record/recorder.ts'),
    line: "if (result.decisionCode === 'rejected') {",
    becomes: 'if (result.decisionCode === null) {',
  },
  {
    name: 'a run whose history is full is faulted by another name (I22)',
    file: engine('record/fault.ts'),
    line: "error instanceof TerminalError && error.code === 'history_too_long'",
    becomes: 'error === undefined',
  },
  {
    name: 'what still runs stays open when its run has ended (I7)',
    file: memory('append.ts'),
    line: "if (effect.status === 'pending' || effect.status === 'started') effect.status = 'cancelled'",
    becomes: "if (effect.status === 'pending') effect.status = 'cancelled'",
  },
]
