/** Starts the runs that calls ask for, on orchestrators: after the decision, or when the reconciler finds the effect. */
import type { RunStartEffect, ToolCallPart } from '@signalbox/core'
import { performRunStart, readForStart, type RunStartDeps } from '../perform/run-start.ts'
import type { LoopDeps, Performer } from './loop.ts'
import type { RowOf } from './row.ts'

export const runStartPerformer = (
  deps: RunStartDeps & LoopDeps,
): Performer<RowOf<RunStartEffect>, void> => ({
  givenUp: 'a run could not be started',
  needsRun: true,
  read: (row) => readForStart(deps, { row, effect: row.spec }),
  perform: (row, { attempt }, held) =>
    performRunStart(deps, { row, effect: row.spec, call: row.call ?? noCall, attempt }, held),
  record: (row, fact) => deps.recorder.record(row, [fact]),
})

/** A call that the log does not hold was never judged: its hash will say so. */
const noCall: ToolCallPart = { type: 'tool_call', id: '', name: '', args: {}, argsHash: '' }
