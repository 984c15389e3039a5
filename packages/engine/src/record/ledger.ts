/** Entries of the ledger, drafted for a register. */
import type { LedgerType } from '@signalbox/core'
import { stringify } from 'uuid'
import type { Clock, Ledger, LedgerDraft, LedgerEntry, Random, Register } from '../ports.ts'
import { eventDraft, sha256 } from './draft.ts'

/** The world that a draft is made of. */
export interface LedgerDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'hex'>
}

/** A UUIDv7 of the first millisecond of the month (UTC), its chance replaced by a hash of the tenant. */
export function ledgerRunId(tenantId: string, at: number): string {
  const moment = new Date(at)
  const month = Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth())
  const bytes = Buffer.from(sha256(`signalbox.ledger\u0000${tenantId}`), 'hex').subarray(0, 16)
  bytes.writeUIntBE(month, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return stringify(bytes)
}

/** The draft of an entry. */
export function ledgerDraft<T extends LedgerType>(
  { clock, random }: LedgerDeps,
  { tenant, type, payload, actor, key, at = clock.now() }: LedgerEntry<T>,
): LedgerDraft {
  return {
    tenantId: tenant,
    runId: ledgerRunId(tenant, at),
    key: key ?? null,
    event: eventDraft(random, payload, { type, at, actor, tool: null, verdict: null }),
  }
}

/** The ledger of a register. */
export const createLedger = (
  deps: LedgerDeps & { readonly register: Pick<Register, 'recordInLedger'> },
): Ledger => ({
  record: (entry) => deps.register.recordInLedger(ledgerDraft(deps, entry)),
})
