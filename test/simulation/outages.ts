/**
 * What must hold of outages of the register: where a process lives, and could renew its leases before and after, nobody takes
 * from it what it performs, and no call of it is said to be unknown.
 */
import { isAbout, effectOf, type RunRecord } from '../invariants/run-record.ts'
import type { World } from './world.ts'

/** Only of days on which nothing but an outage or a crash ends a lease. */
export function outageViolations({ schedule }: World, { log }: RunRecord): readonly string[] {
  const { day, deaths } = schedule
  if (day.kind !== 'outage') return []
  const cutOff = new Set(day.troubles.map(({ of }) => of))
  const lives = (owner: unknown): boolean =>
    typeof owner === 'string' && !deaths.has(owner) && !cutOff.has(owner.split('-')[0] ?? '')
  return log.filter(saysLost).flatMap((event) => {
    const starts = log.filter(({ type, seq }) => type === 'effect.started' && seq < event.seq)
    const owners = starts
      .filter((start) => isAbout(start, effectOf(event)))
      .map(({ payload }) => payload['owner'])
    return owners.length > 0 && owners.every(lives)
      ? [`L2 ${effectOf(event)} is said to be lost, and ${owners.join()} lived`]
      : []
  })
}

const saysLost = ({ type, payload }: RunRecord['log'][number]): boolean =>
  (type === 'tool.unknown' || type === 'tool.aborted') && payload['reason'] === 'worker_lost'
