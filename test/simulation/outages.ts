/**
 * What must hold of outages of the register: where a process lives, and could renew its leases before and after, nobody takes
 * from it what it performs, and no call of it is said to be unknown.
 */
import { outlivesRun } from '@signalbox/core'
import { isAbout, effectOf, type RunRecord } from '../invariants/run-record.ts'
import type { Returned, World } from './world.ts'

/** Only of days on which nothing but an outage or a crash ends a lease. */
export function outageViolations(
  { schedule, executions }: World,
  { log, effects }: RunRecord,
): readonly string[] {
  const { day, deaths } = schedule
  if (day.kind !== 'outage') return []
  const cutOff = new Set(day.troubles.map(({ of }) => of))
  const lives = (owner: unknown): boolean =>
    typeof owner === 'string' && !deaths.has(owner) && !cutOff.has(owner.split('-')[0] ?? '')
  const ownersOf = (effectId: string, seq: number): readonly unknown[] =>
    log
      .filter((each) => each.type === 'effect.started' && each.seq < seq && isAbout(each, effectId))
      .map(({ payload }) => payload['owner'])
  const isOutliving = (effectId: string): boolean =>
    effects.some((each) => each.effectId === effectId && outlivesRun(each.spec.kind))
  const isToolCall = (effectId: string): boolean =>
    effects.some((each) => each.effectId === effectId && each.spec.kind === 'tool.call')
  const isExecuted = (effectId: string, seq: number): boolean =>
    executions.some((each) => each.effectId === effectId && attemptAt(log, seq) > each.attempt)
  const isModelCall = (effectId: string): boolean =>
    effects.some((each) => each.effectId === effectId && each.spec.kind === 'model.call')
  return log.flatMap((event) => {
    const effectId = effectOf(event)
    const owners = ownersOf(effectId, event.seq)
    if (owners.length === 0 || !owners.every(lives) || isOutliving(effectId)) return []
    if (saysLost(event)) return [`L2 ${effectId} is said to be lost, and ${owners.join()} lived`]
    // The answer to a claim may be lost where an outage begins: a worker that was not told of its claim performs nothing.
    if (isToolCall(effectId) && !isExecuted(effectId, event.seq)) return []
    // An operator may have it tried again. Of a model call the claim may have gone with a decision whose answer was lost: nobody
    // knows of it then, and the call waits for the end of its lease.
    const isAgain =
      event.type === 'effect.started' &&
      !isModelCall(effectId) &&
      !log.some((each) => isRetry(each, effectId))
    return isAgain ? [`L2 ${effectId} was taken from ${owners.join()}, which lived`] : []
  })
}

const attemptAt = (log: RunRecord['log'], seq: number): number =>
  Number(log.find((event) => event.seq === seq)?.payload['attempt'])

const isRetry = (event: RunRecord['log'][number], effectId: string): boolean =>
  event.type === 'tool.resolved' && isAbout(event, effectId)

const saysLost = ({ type, payload }: RunRecord['log'][number]): boolean =>
  (type === 'tool.unknown' || type === 'tool.aborted') && payload['reason'] === 'worker_lost'

/**
 * Results that a tool gave to a process that lives on, and of which the log of their run says nothing. A report is a few calls of
 * the register, and each may stall: the play goes on until there is none left.
 */
export const unreported = (
  { schedule, returned }: World,
  { head: { runId }, log }: Pick<RunRecord, 'head' | 'log'>,
): readonly Returned[] =>
  log.some(({ type }) => type === 'run.faulted')
    ? []
    : returned
        .filter((result) => result.runId === runId && !schedule.deaths.has(result.owner))
        .filter(({ effectId, attempt }) => !log.some((event) => isEndOf(event, effectId, attempt)))

const isEndOf = (event: RunRecord['log'][number], effectId: string, attempt: number): boolean =>
  ends.has(event.type) && isAbout(event, effectId) && event.payload['attempt'] === attempt

/**
 * Whatever a tool told a process that lives on is in the log, or, where it came too late to count, is noted there. A call that
 * was broken off where nobody can say whether it happened is not said to be aborted, unless it only reads.
 */
export function resultViolations(world: World, run: RunRecord): readonly string[] {
  const { log, effects } = run
  const missing = unreported(world, run).map(
    ({ effectId, attempt, owner }) =>
      `L3 attempt ${attempt} of ${effectId} came back to ${owner}, and the log says nothing`,
  )
  const denied = log
    .filter(({ type, payload }) => type === 'tool.aborted' && payload['reason'] === 'cancelled')
    .filter((event) =>
      world.unsettled.has(`${effectOf(event)} ${Number(event.payload['attempt'])}`),
    )
    .filter((event) => effects.find(({ effectId }) => isAbout(event, effectId))?.mode !== 'read')
    .map((event) => `I8 ${effectOf(event)} may have happened, and is said to be aborted`)
  return [...missing, ...denied]
}

const ends = new Set(['tool.completed', 'tool.failed', 'tool.late'])
