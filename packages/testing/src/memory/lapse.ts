/**
 * Which leases are over. A lease runs only while the register can be reached: nobody could renew it before. Renewals are the
 * proof, whoever sends them: a pause of half a lease between two of them was an outage, and after it everybody has a whole lease
 * to come back.
 */
import type { EffectRecord, Tables } from './tables.ts'

/** Notes that somebody has reached the register, for leases of this length. */
export function beat(tables: Tables, now: number, leaseMs: number): void {
  if (leaseMs === 0) return
  const { heartbeat } = tables
  // A clock that was set is an outage, too: leases are counted by it.
  const isUp = heartbeat !== null && now >= heartbeat.upSince && now - heartbeat.at <= leaseMs / 2
  tables.heartbeat = { upSince: isUp ? heartbeat.upSince : now, at: now }
}

/** Has whoever claimed it been silent for its whole lease, though it could have been heard? One that was given back is over at once. */
export function hasLapsed({ heartbeat }: Tables, effect: EffectRecord, now: number): boolean {
  const { status, leaseUntil, leaseMs } = effect
  if (status !== 'started' || leaseUntil === null || leaseUntil > now) return false
  if (heartbeat === null || leaseMs === 0) return true
  return now - heartbeat.upSince >= leaseMs && now - heartbeat.at <= leaseMs / 2
}
