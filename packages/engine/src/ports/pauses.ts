/**
 * Pauses: an agent, a tool or a queue of a tenant starts nothing new for a while. Work under way is not touched.
 *
 * P1 After a pause is confirmed no effect of its target starts, and no run of its agent is admitted, in any process.
 * P2 A claim that is refused for a pause is not offered again before the pause is over: what waits costs nothing.
 * P3 When a pause is over, by its time or because it was lifted, `takeDue` releases what it held.
 * P4 What is set, changed or lifted is recorded in the ledger, in the same transaction.
 */
import type { LedgerDraft } from './ledger.ts'

/** The target of a pause, by name: 1 to 200 characters. That of a tool is the one by which a model calls it. */
export interface NamedTarget {
  readonly kind: 'agent' | 'tool' | 'queue'
  readonly name: string
}

/** A pause. */
export interface Pause {
  /** A UUID. */
  readonly pauseId: string
  readonly tenantId: string
  readonly target: NamedTarget
  /** 1 to 1000 characters. */
  readonly reason: string
  /** Over then, by the clock of the register. Milliseconds since the epoch; null: when it is lifted. */
  readonly until: number | null
}

/** A pause that is to be set. Who wants it is the actor of the record. */
export interface PauseDraft extends Pause {
  readonly told: LedgerDraft
}

/**
 * `unchanged`: it stands so already, and nothing was recorded. `changed`: the pause of this id goes on with this reason and
 * this end. `taken`: the target is paused under another id, with another reason or end; nothing was done. `full`: the tenant
 * has `limits.pausesMax`; nothing was done.
 */
export type PauseCode = 'created' | 'changed' | 'unchanged' | 'taken' | 'full'

export interface PauseAnswer {
  readonly code: PauseCode
  /** Of the pause of the target that stands now; where none was set, of the draft. */
  readonly pauseId: string
  /** False: it stands, but somebody who began before it may still start something. To ask again waits for them again. */
  readonly confirmed: boolean
}

export interface PausePort {
  /** Pauses a target that is not, or says anew why and until when. */
  pause(draft: PauseDraft): Promise<PauseAnswer>
  /** Ends a pause. False: the tenant has none of this id, or it is over; then nothing is recorded. */
  lift(tenantId: string, pauseId: string, told: LedgerDraft): Promise<boolean>
  /** The pauses of a tenant that stand, in the order in which they were set. At most `limits.pausesMax`. */
  pauses(tenantId: string): Promise<readonly Pause[]>
}
