/** What must hold on a bad day beside the invariants: when executions begin, and why outcomes are lost. */
import type { StoredEvent } from '@signalbox/engine'
import { effectOf, isEnd } from '../../invariants/run-record.ts'
import type { Played } from '../schedule.ts'
import type { StoredRun } from '../tables.ts'
import type { TimedExecution } from '../world.ts'
import { failedViolations } from './crowd.ts'

/** No execution begins after its attempt was given up, or its run has ended (D7). */
function timelineViolations(
  runs: readonly StoredRun[],
  executions: readonly TimedExecution[],
): readonly string[] {
  return executions.flatMap((execution) => {
    const log = runs.find(({ head }) => head.runId === execution.runId)?.log ?? []
    const over = log.find((event) => isOver(event, execution) && event.at < execution.at)
    const late = over ? Math.round(execution.at - over.at) : 0
    if (!over || late <= clockStepMs) return []
    const { effectId, attempt } = execution
    return [`D7 attempt ${attempt} of ${effectId} began ${late} ms after ${over.type}`]
  })
}

/** The clock of a machine is set back by a few milliseconds now and then: an error that a tool threw was recorded 1 ms before its call. */
const clockStepMs = 10

const isOver = (event: StoredEvent, { effectId, attempt }: TimedExecution): boolean =>
  isEnd(event) ||
  (effectOf(event) === effectId &&
    event.type !== 'effect.started' &&
    event.payload['attempt'] === attempt)

const unexplained = 'the lease lapsed although its worker lived'

/** What is checked after a day on which all clocks are right. */
export const dayViolations = (
  runs: readonly StoredRun[],
  executions: readonly TimedExecution[],
): readonly string[] => [...timelineViolations(runs, executions), ...failedViolations(runs)]

/** Outcomes that were lost although the worker that had them lived (D5). */
export const lostByLiving = ({ unknowns }: Played): readonly string[] =>
  unknowns
    .filter(({ because }) => because === unexplained)
    .map(({ effectId, tool }) => `D5 ${tool} ${effectId} is unknown: ${unexplained}`)
