/**
 * How every effect is performed: what it is performed by is read, it is claimed, performed under its lease, and what came of it is
 * recorded. What differs between the kinds are their performers.
 *
 * W1 Nothing is claimed that this process could not perform: an effect may be of a machine and a definition that this build knows, and
 *    yet be performed by events that it does not. A claimed call that is not made is unknown, and a claim that comes to nothing is
 *    made again with each lease (D8).
 * W2 A claim that is refused does nothing: somebody else has the effect, or nobody is to have it any more.
 */
import { NewerError } from '@signalbox/core'
import { warning } from '../errors.ts'
import { type Claim, claimEffect } from '../perform/claim.ts'
import type { Held, Lease, Leases } from '../perform/leases.ts'
import type { ClaimCode, EffectRow, FactDraft, Log, Register, WakeBus } from '../ports.ts'
import type { Patience } from '../record/patience.ts'
import type { Recorder } from '../record/recorder.ts'
import type { Views } from '../record/view.ts'
import type { EngineSettings } from '../settings.ts'

/** The columns of an effect, and of its run, that are known before it is claimed. Without `attempt`, none has begun. */
export type Claimable = Pick<
  EffectRow,
  'effectId' | 'runId' | 'tenantId' | 'threadId' | 'rootId' | 'definitionHash' | 'machineVersion'
> &
  Partial<Pick<EffectRow, 'attempt'>>

/** A claim that was granted. */
export interface GrantedClaim {
  readonly attempt: number
  /** Where the run stood then. */
  readonly seq: number
}

/**
 * How the effects of a kind are performed.
 * @typeParam R - an effect, as it is taken
 * @typeParam T - what is read before the claim
 * @typeParam O - what comes of it
 */
export interface Performer<R extends Claimable, T, O = FactDraft> {
  /** The words of the log about an effect that was given up. */
  readonly givenUp: string
  /** Is the run's own machine, with its policies, needed? A process that lacks one leaves the effect to others. */
  readonly needsRun: boolean
  /** Reads what the effect is performed by. Rejects with a `NewerError` where that is newer than this build. */
  read(of: R): Promise<T>
  /** Told why the effect is left to other processes. Default: nobody is, the register says it again. */
  left?(of: R, why: string): void
  /** Claims it. Default: asked for until the register answers. */
  claim?(of: R): Promise<Claim>
  /** Told that a claim was not granted. */
  refused?(of: R, code: ClaimCode, attempt: number): Promise<void>
  /** Told of the claim, which others may want to know. */
  claimed?(of: R): void
  /** Null: the signal was aborted for another reason than a cancel, and nothing is recorded. */
  perform(of: R, task: GrantedClaim & { readonly read: T }, held: Held): Promise<O | null>
  /** Records until the register has answered. */
  record(of: R, outcome: O, claimed: GrantedClaim): Promise<unknown>
}

export interface LoopDeps extends Patience {
  readonly register: Register
  readonly recorder: Recorder
  readonly views: Views
  readonly leases: Leases
  readonly wakeBus: WakeBus
  readonly settings: EngineSettings
  /** Aborted when this process takes no more work. */
  readonly draining: AbortSignal
}

/** Performs an effect from its claim on, unless others are to. Answers whether it was claimed. */
export async function performClaimed<R extends Claimable, T, O>(
  deps: LoopDeps,
  performer: Performer<R, T, O>,
  of: R,
): Promise<boolean> {
  if (deps.draining.aborted) return false
  const found = await readFor(deps, performer, of)
  if ('why' in found) {
    performer.left?.(of, found.why)
    return false
  }
  return performRead(deps, performer, { of, ...found })
}

/** Reads what an effect is performed by; or says why that is not this process's to do. */
export async function readFor<R extends Claimable, T, O>(
  { views }: LoopDeps,
  performer: Performer<R, T, O>,
  of: R,
): Promise<{ readonly read: T } | { readonly why: string }> {
  const why = performer.needsRun ? await views.notMine(of) : null
  if (why !== null) return { why }
  try {
    return { read: await performer.read(of) }
  } catch (error) {
    if (error instanceof NewerError) return { why: error.message }
    throw error
  }
}

/** The same, with what was read before. */
export async function performRead<R extends Claimable, T, O>(
  deps: LoopDeps,
  performer: Performer<R, T, O>,
  { of, read }: { readonly of: R; readonly read: T },
): Promise<boolean> {
  const claim = await claimFor(deps, performer, of)
  if (claim) await performHeld(deps, performer, { of, read, ...claim })
  return claim !== null
}

/** Claims an effect. Null: the claim was not granted. */
export async function claimFor<R extends Claimable, T, O>(
  deps: LoopDeps,
  performer: Performer<R, T, O>,
  of: R,
): Promise<{ readonly lease: Lease; readonly seq: number } | null> {
  const { code, lease, result } = await (performer.claim?.(of) ?? claimEffect(deps, of))
  if (code !== 'ok') {
    await performer.refused?.(of, code, lease.attempt)
    return null
  }
  performer.claimed?.(of)
  // Where this process decides as well, the result and the next decision then travel together.
  deps.views.noted(of.runId, result)
  return { lease, seq: result.seq }
}

/** An effect that is claimed, and what it is performed by. */
export interface HeldEffect<R, T> {
  readonly of: R
  readonly read: T
  readonly lease: Lease
  /** Where the run stood when it was claimed. */
  readonly seq: number
}

/** Performs what is claimed already. */
export async function performHeld<R extends Claimable, T, O>(
  { leases }: Pick<LoopDeps, 'leases'>,
  performer: Performer<R, T, O>,
  { of, read, lease, seq }: HeldEffect<R, T>,
): Promise<void> {
  const claimed = { attempt: lease.attempt, seq }
  await leases.hold(
    lease,
    (held) => performer.perform(of, { ...claimed, read }, held),
    (outcome) => performer.record(of, outcome, claimed),
  )
}

/** Work that goes on by itself. */
export interface Background {
  /** Begins it. Resolves when it is over, and never rejects: what failed is logged, and found again. */
  begin(
    work: () => Promise<unknown>,
    about: { readonly effectId: string; readonly givenUp: string },
  ): Promise<void>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

export function createBackground(log: Log): Background {
  const running = new Set<Promise<void>>()
  return {
    begin(work, { effectId, givenUp }) {
      const over = work()
        .then(() => undefined)
        .catch(warning(log, givenUp, { effectId }))
        .finally(() => running.delete(over))
      running.add(over)
      return over
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
