/**
 * Pauses: an agent, a tool or a queue of a tenant starts nothing new for a while. What runs is not touched.
 *
 * P1 After a pause is confirmed no effect of its target starts, and no run of its agent is admitted, in any process.
 * P2 A claim that is refused for a pause is not offered again before the pause is over: what waits costs nothing.
 * P3 When a pause is over, by its time or because it was lifted, `takeDue` releases what it held.
 */

/** What is paused, by name: 1 to 200 characters. That of a tool is the one by which a model calls it. */
export interface PauseTarget {
  readonly kind: 'agent' | 'tool' | 'queue'
  readonly name: string
}

/** A pause that is to be set. */
export interface PauseDraft {
  /** A UUID: its id, unless the target is paused already. */
  readonly pauseId: string
  readonly tenantId: string
  readonly target: PauseTarget
  /** 1 to 1000 characters. */
  readonly reason: string
  /** Over then, by the clock of the register. Milliseconds since the epoch; null: when it is lifted. */
  readonly until: number | null
  /** Who wants it. */
  readonly by: string
}

/**
 * `changed`: it was paused already, and goes on with this reason and this end. `full`: the tenant has `limits.pausesMax`, none
 * was set.
 */
export type PauseCode = 'created' | 'changed' | 'unchanged' | 'full'

export interface PauseAnswer {
  readonly code: PauseCode
  /** Of the pause that stands now. */
  readonly pauseId: string
  /** False: it stands, but somebody who began before it may still start something. To ask again waits for them again. */
  readonly confirmed: boolean
}

export interface PausePort {
  /** Pauses a target that is not, or says anew why and until when. */
  pause(draft: PauseDraft): Promise<PauseAnswer>
  /** Ends a pause. False: the tenant has none of this id, or it is over. */
  lift(tenantId: string, pauseId: string): Promise<boolean>
}
