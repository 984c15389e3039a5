/**
 * The ledger: acts of administrators and auditors, and whatever else belongs to no run. Per tenant and month there is one *ledger
 * run*, on the same tables and the same chain as all events.
 *
 * L1 Its id follows from the tenant and the month (UTC): whoever records first creates it, and all find the same.
 * L2 It holds notes only. It is never admitted, decided, counted or listed; it ended before it began.
 * L3 A record whose key the month holds already has no effect.
 */
import type { LedgerType, NotePayload } from '@signalbox/core'
import type { EventDraft } from './append.ts'

/** An entry to record. */
export interface LedgerEntry<T extends LedgerType = LedgerType> {
  readonly tenant: string
  readonly type: T
  readonly payload: NotePayload<T>
  /** As in events: `key:…`, `user:…`, `operator`. At most `limits.idCharsMax` characters. */
  readonly actor: string
  /** Makes it idempotent within the month. At most `limits.idCharsMax` characters. */
  readonly key?: string
  /** Milliseconds since the epoch. Default: now. */
  readonly at?: number
}

/** Records what belongs to no run. Rejects if the register does: then it may or may not be recorded. */
export interface Ledger {
  /** `known`: the month holds a record with this key. */
  record<T extends LedgerType>(entry: LedgerEntry<T>): Promise<'recorded' | 'known'>
}

/** An entry as registers take it: JSON that the SQL function `record_in_ledger` reads as it is. */
export interface LedgerDraft {
  readonly tenantId: string
  /** The ledger run of the tenant and month. */
  readonly runId: string
  readonly key: string | null
  readonly event: EventDraft
}

/** The part of the register that keeps the ledger. */
export interface LedgerPort {
  /** Creates the ledger run if it is not there, and appends the note, at most `limits.ledgerBytesMax` of payload. */
  recordInLedger(draft: LedgerDraft): Promise<'recorded' | 'known'>
  /** Notes that the tenant uses a definition, and records the draft if it never did before. Repeated, it has no effect. */
  useDefinition(hash: string, draft: LedgerDraft): Promise<'recorded' | 'known'>
}
