/** Every line whose loss must turn the simulation red. */
import { badDayMutations } from './bad-day-mutations.ts'
import { buildMutations } from './build-mutations.ts'
import { contextMutations } from './context-mutations.ts'
import { familyMutations } from './family-mutations.ts'
import { fileMutations } from './file-mutations.ts'
import { hereMutations } from './here-mutations.ts'
import { historyMutations } from './history-mutations.ts'
import { multitaskMutations } from './multitask-mutations.ts'
import { type Mutation, mutations } from './mutations.ts'
import { rerunMutations } from './rerun-mutations.ts'
import { sandboxMutations } from './sandbox-mutations.ts'
import { skillMutations } from './skill-mutations.ts'
import { steeringMutations } from './steering-mutations.ts'
import { subagentMutations } from './subagent-mutations.ts'
import { titleMutations } from './title-mutations.ts'

export const allMutations: readonly Mutation[] = [
  ...mutations,
  ...familyMutations,
  ...historyMutations,
  ...multitaskMutations,
  ...rerunMutations,
  ...skillMutations,
  ...steeringMutations,
  ...titleMutations,
  ...badDayMutations,
  ...buildMutations,
  ...contextMutations,
  ...fileMutations,
  ...sandboxMutations,
  ...hereMutations,
  ...subagentMutations,
]
