/** Makes titles, on orchestrators that call models: after the decision that ended the run, or when the reconciler finds one that is due. */
import { limits, type TitleEffect } from '@signalbox/core'
import { performTitle, readTitled, type TitleDeps, type Titled } from '../perform/title.ts'
import type { Model } from '../ports.ts'
import type { LoopDeps, Performer } from './loop.ts'
import { type Noted, outliving, performInRoom } from './outliving.ts'
import type { RowOf } from './row.ts'

export type TitlesDeps = Omit<TitleDeps, 'model'> &
  LoopDeps & {
    /** Null: this process makes no model calls, others do. */
    readonly model: Model | null
  }

/** Makes one, if there is room: otherwise the register looks again. */
export function createNaming(deps: TitlesDeps): (effectId: string) => Promise<void> {
  const { model } = deps
  if (!model) return async () => {}
  return performInRoom(deps, {
    kind: 'title.make',
    most: limits.titlesAtOnceMax,
    performer: (leave) => titlePerformer({ ...deps, model }, leave),
  })
}

const titlePerformer = (
  deps: TitleDeps & LoopDeps,
  leave: () => void,
): Performer<RowOf<TitleEffect>, Titled, Noted> => ({
  ...outliving(deps, leave),
  givenUp: 'a title was not made',
  read: async (row) => readTitled(deps, row, await deps.views.definition(row.definitionHash)),
  perform: (row, { attempt, read }, held) =>
    performTitle(deps, { row, attempt, titled: read }, held),
})
