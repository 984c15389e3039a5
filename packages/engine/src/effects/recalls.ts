/** Recalls results in reruns, on orchestrators: after the decision, or when the reconciler finds the effect. No worker does. */
import type { ToolRecallEffect } from '@signalbox/core'
import { performRecall, rerunPlace, type RecallDeps } from '../perform/recall.ts'
import type { LoopDeps, Performer } from './loop.ts'
import type { RowOf } from './row.ts'

export const recallPerformer = (
  deps: RecallDeps & LoopDeps,
): Performer<RowOf<ToolRecallEffect>, unknown> => ({
  givenUp: 'a result could not be recalled',
  needsRun: true,
  read: (row) => rerunPlace(deps.register, { row, effect: row.spec }),
  perform: (row, { attempt }) => performRecall(deps, { row, effect: row.spec, attempt }),
  record: (row, fact) => deps.recorder.record(row, [fact]),
})
