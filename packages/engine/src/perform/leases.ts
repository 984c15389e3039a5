/**
 * Leases of the effects in flight in this process: renewed together, aborted by a cancel signal (a wake) or by what a
 * renewal answers (the backstop: a lost wake costs at most `renewMs`).
 *
 * L1 Nothing begins but under a lease that stands for a while yet, counted from before the claim, or the renewal, was sent: an
 *    answer may come whenever it comes. Where it does not stand, it is renewed first, however long that takes.
 * L2 A lease whose renewal is not answered aborts nothing: what runs goes on through an outage. Only the register says that it is lost.
 * L3 Renewals go on while nothing is held, too: they are how the register knows that it can be reached, and so that a lease
 *    which nobody renews was given up (`ports/register.ts`, `renew`).
 * L4 A result that the register has not taken for a lease gives its place in the process back, and is reported on under its
 *    lease: a run whose rows cannot be written must not hold every place. Beyond `parkedMax` results, work keeps its place.
 * L5 A claim that is not answered yet may have been granted, and its answer be lost with a connection that fell silent: its lease is
 *    renewed like those that are held, until the claim is answered or nothing is to begin of it any more.
 */
import { AbortError, type AbortCause, warning } from '../errors.ts'
import type { Observer, Register, RunPlace } from '../ports.ts'
import { insist, type Patience, waitingOn } from '../record/patience.ts'

export interface Lease extends RunPlace {
  readonly effectId: string
  readonly attempt: number
  /** Before the claim was sent, by the monotonic clock. -Infinity: nobody knows what came of the run since. */
  readonly since: number
  /** Is it performed though its run is cancelled, or has ended? */
  readonly outlivesRun?: boolean
}

/** The effect, and the attempt, that a claim begins once it is granted. */
export type ClaimUnderWay = Pick<Lease, 'effectId' | 'attempt'>

/** A lease as its performer sees it. */
export interface Held {
  /** Aborted by a cancel, by the loss of the lease, or by a shutdown; the reason is an AbortError. */
  readonly signal: AbortSignal
  /** Resolves when the work may begin: asked right before the world is touched. Rejects with the reason of the signal. */
  begin(): Promise<void>
  /** Work on a result in hand: it goes on after a cancel and after the lease is lost, and ends only with the process. */
  keep<T>(work: () => Promise<T>): Promise<T>
}

export interface Leases {
  /**
   * Performs under a lease, then reports what came of it, unless that is null, and renews the lease until that is done.
   * Resolves when it is, or when the report has waited for a lease: then the report goes on (L4), see `idle`.
   */
  hold<T>(
    lease: Lease,
    perform: (held: Held) => Promise<T | null>,
    report: (result: T) => Promise<unknown>,
  ): Promise<void>
  /**
   * Renews the lease that a claim under way may already have, see L5: at the attempt that it would begin. The function that it returns
   * ends that, and is to be called when the claim is answered or given up.
   */
  renewWhileAsked(claim: ClaimUnderWay): () => void
  /** Renews from now on until the process stops, whether anything is held or not. */
  watch(): void
  /** Aborts everything in flight for these runs. */
  abortRuns(runIds: readonly string[], cause: AbortCause): void
  /** Aborts everything, and gives the leases back so that others take over at once. */
  release(): Promise<void>
  /** Resolves when no report is under way any more of those that `hold` did not wait for. */
  idle(): Promise<void>
  /**
   * Since when the register has answered renewals without a pause of half a lease, which is an outage to it, too; by the monotonic
   * clock. Null: it does not answer now.
   */
  answersSince(): number | null
  readonly size: number
}

export interface LeasesDeps extends Patience {
  readonly register: Pick<Register, 'renew'>
  readonly leaseMs: number
  readonly renewMs: number
  readonly observer: Observer
}

interface Holding extends Lease {
  /** Aborted by whatever ends the work. */
  readonly work: AbortController
  /** Nothing begins after this moment of the monotonic clock. */
  until: number
  /** Since when its result is reported, by the monotonic clock; null while it is performed. */
  reportedSince: number | null
  /** Gives the place of the work back. */
  readonly giveBack: () => void
}

/** Results that are reported without a place of the process. Each is of one call: at most some 300 kB. */
const parkedMax = 100

/** This share of a lease is left for what begins under it to come to the world. */
const margin = 0.2

const claimOf = ({ effectId, attempt }: ClaimUnderWay) => ({ effectId, attempt })

const abort = (one: Holding, cause: AbortCause): void => {
  if (!one.work.signal.aborted) one.work.abort(new AbortError(cause))
}

/**
 * The renewals of claims under way. They are apart from those of what is held: a claim may be of a run that cannot be written, and would
 * take the renewals of all others with it.
 */
function claimRenewalsOf({ register, leaseMs }: LeasesDeps, held: ReadonlyMap<string, Holding>) {
  const underWay = new Set<ClaimUnderWay>()
  let isRenewing = false
  return {
    renewWhileAsked(claim: ClaimUnderWay) {
      underWay.add(claim)
      return () => void underWay.delete(claim)
    },
    async renew(): Promise<void> {
      // An answer names an effect and no attempt: of an effect that is held, only the attempt that is held is renewed.
      const claims = [...underWay].filter(({ effectId }) => !held.has(effectId))
      if (claims.length === 0 || isRenewing) return
      isRenewing = true
      try {
        const answers = await register.renew(claims.map(claimOf), leaseMs)
        // Nothing begins any more under a claim whose run is to end: the end waits for its lease, and not for its answer.
        const over = answers.filter(({ kept, cancel }) => kept && cancel)
        for (const claim of claims)
          if (over.some(({ effectId }) => effectId === claim.effectId)) underWay.delete(claim)
      } finally {
        isRenewing = false
      }
    },
  }
}

/** The renewals of a process. `turned` is called after each. */
function renewalsOf(deps: LeasesDeps, held: ReadonlyMap<string, Holding>, turned: () => void) {
  const { register, clock, log, leaseMs, renewMs, stopped } = deps
  const loop = {
    isOn: false,
    isWatching: false,
    answeredAt: -Infinity,
    answersSince: -Infinity,
  }
  const claims = claimRenewalsOf(deps, held)
  const isPause = (now: number): boolean => now - loop.answeredAt > leaseMs / 2

  const endOf = (since: number): number => since + leaseMs * (1 - margin)

  const renew = async (some: readonly Holding[]): Promise<void> => {
    const since = clock.monotonic()
    const answers = await register.renew(some.map(claimOf), leaseMs)
    const now = clock.monotonic()
    if (isPause(now)) loop.answersSince = now
    loop.answeredAt = now
    for (const { effectId, kept, cancel } of answers) {
      const one = some.find((each) => each.effectId === effectId)
      if (!one || held.get(effectId) !== one) continue
      if (!kept) abort(one, 'lease_lost')
      else if (cancel) abort(one, 'cancelled')
      else one.until = endOf(since)
    }
  }

  const start = async (): Promise<void> => {
    if (loop.isOn) return
    loop.isOn = true
    while ((loop.isWatching || held.size > 0) && !stopped.aborted) {
      const renewed = renew([...held.values()])
      void claims.renew().catch(warning(log, 'leases of claims under way could not be renewed'))
      await renewed.catch(warning(log, 'leases could not be renewed'))
      turned()
      await clock.sleep(renewMs, stopped)
    }
    loop.isOn = false
  }

  const begin = async (one: Holding): Promise<void> => {
    const { signal } = one.work
    for (let n = 0; ; n++) {
      signal.throwIfAborted()
      if (clock.monotonic() < one.until) return
      // One that is locked just now is not answered.
      if (n > 0) await clock.sleep(renewMs / 10, signal)
      await insist({ ...deps, stopped: signal }, 'renew', () => renew([one])).catch((error) => {
        signal.throwIfAborted()
        throw error
      })
    }
  }

  return {
    endOf,
    begin,
    renewWhileAsked: (claim: ClaimUnderWay) => claims.renewWhileAsked(claim),
    answersSince: () => (isPause(clock.monotonic()) ? null : loop.answersSince),
    /** Renews what is held, until nothing is. */
    start: () => void start(),
    /** Renews until the process stops. */
    watch() {
      loop.isWatching = true
      void start()
    },
  }
}

/** The results that the register does not take, see L4. */
function parkingOf({ clock, leaseMs, log }: LeasesDeps, held: ReadonlyMap<string, Holding>) {
  const parked = new Set<Promise<unknown>>()
  return {
    /** Gives back the places of those that were reported for a lease. */
    look(): void {
      const since = clock.monotonic() - leaseMs
      for (const one of held.values())
        if (one.reportedSince !== null && one.reportedSince < since && parked.size < parkedMax)
          one.giveBack()
    },
    /** Keeps the report of a result whose place was given back. */
    keep({ effectId }: Lease, report: Promise<void>): void {
      const told = report
        .catch(warning(log, 'a result was not reported', { effectId }))
        .finally(() => parked.delete(told))
      parked.add(told)
      log.warn('a result was not taken for a lease; it is reported on', { effectId })
    },
    idle: async () => void (await Promise.all(parked)),
  }
}

export function createLeases(deps: LeasesDeps): Leases {
  const { register, stopped } = deps
  const held = new Map<string, Holding>()
  const parking = parkingOf(deps, held)
  const renewals = renewalsOf(deps, held, () => parking.look())
  stopped.addEventListener('abort', () => {
    for (const one of held.values()) abort(one, 'shutdown')
  })
  return {
    async hold(lease, perform, report) {
      const work = new AbortController()
      const { promise: givenBack, resolve: giveBack } = Promise.withResolvers<'parked'>()
      const one: Holding = {
        ...lease,
        work,
        until: renewals.endOf(lease.since),
        reportedSince: null,
        giveBack: () => giveBack('parked'),
      }
      // Another attempt of this process has it now.
      const before = held.get(lease.effectId)
      if (before) abort(before, 'lease_lost')
      held.set(lease.effectId, one)
      if (stopped.aborted) abort(one, 'shutdown')
      renewals.start()
      const mine: Held = {
        signal: work.signal,
        begin: () => renewals.begin(one),
        keep: (keeping) => waitingOn(stopped, keeping),
      }
      const performAndReport = async (): Promise<void> => {
        try {
          const performed = waitingOn(work.signal, () =>
            deps.observer.within(lease, () => perform(mine)),
          )
          const result = await performed.catch((error: unknown) => {
            // Work that its signal has ended reports nothing; the process that takes the effect over does.
            if (!work.signal.aborted) throw error
            return null
          })
          one.reportedSince = deps.clock.monotonic()
          if (result !== null) await report(result)
        } finally {
          if (held.get(lease.effectId) === one) held.delete(lease.effectId)
        }
      }
      const done = performAndReport()
      if ((await Promise.race([done, givenBack])) === 'parked') parking.keep(lease, done)
    },
    renewWhileAsked: (claim) => renewals.renewWhileAsked(claim),
    watch: () => renewals.watch(),
    abortRuns(runIds, cause) {
      for (const one of held.values())
        if (runIds.includes(one.runId) && one.outlivesRun !== true) abort(one, cause)
    },
    async release() {
      const now = [...held.values()]
      for (const one of now) abort(one, 'shutdown')
      if (now.length > 0) await register.renew(now.map(claimOf), 0)
    },
    idle: () => parking.idle(),
    answersSince: () => renewals.answersSince(),
    get size() {
      return held.size
    },
  }
}
