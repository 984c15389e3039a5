/** Begins learnings, on orchestrators: after the decision that ended a run, or when the reconciler finds one that is due. */
import { limits, type MemoryEffect } from '@signalbox/core'
import { type Learnable, type LearnDeps, performLearn, readLearnable } from '../perform/learn.ts'
import type { LoopDeps, Performer } from './loop.ts'
import { type Noted, outliving, performInRoom } from './outliving.ts'
import type { RowOf } from './row.ts'

/** Begins one, if there is room: otherwise the register looks again. */
export const createLearning = (deps: LearnDeps & LoopDeps): ((effectId: string) => Promise<void>) =>
  performInRoom(deps, {
    kind: 'memory.learn',
    most: limits.learnsAtOnceMax,
    performer: (leave) => learnPerformer(deps, leave),
  })

const learnPerformer = (
  deps: LearnDeps & LoopDeps,
  leave: () => void,
): Performer<RowOf<MemoryEffect>, Learnable, Noted> => ({
  ...outliving(deps, leave),
  givenUp: 'a run was not learned from',
  read: async (row) => readLearnable(deps, row, await deps.views.definition(row.definitionHash)),
  perform: (row, { attempt, read }) => performLearn(deps, { row, attempt, known: read }),
})
