/** Claims in the name of this process. */
import type {
  AppendResult,
  ClaimCode,
  ClaimDraft,
  Clock,
  EffectRow,
  Random,
  Register,
} from '../ports.ts'
import { TerminalError } from '../errors.ts'
import { insist, type Patience } from '../record/patience.ts'
import type { EngineSettings } from '../settings.ts'
import type { Lease, Leases } from './leases.ts'

/** The draft of a claim, made now. */
export const draftClaim = (
  by: { readonly clock: Clock; readonly random: Random; readonly settings: EngineSettings },
  effectId: string,
): ClaimDraft => ({
  effectId,
  owner: by.settings.owner,
  leaseMs: by.settings.leaseMs,
  at: by.clock.now(),
  salt: by.random.hex(16),
})

/** The result of a claim. */
export interface Claim {
  readonly code: ClaimCode
  /** The lease that it is held by, where the code is `ok`; the attempt also where it is `lost`. */
  readonly lease: Lease
  readonly result: AppendResult
}

interface ClaimDeps extends Patience {
  readonly register: Register
  readonly leases: Pick<Leases, 'answersSince' | 'renewWhileAsked'>
  readonly settings: EngineSettings
}

/**
 * Throws once a claim has failed for a lease in which the register answered this process: told of each try that failed, and when it was
 * sent. A try counts up to then, not for as long as it took: its connection alone may have fallen silent.
 */
function endurance({ leases, settings, clock }: ClaimDeps, effectId: string) {
  let failedFirst: number | null = null
  return (sent: number): void => {
    failedFirst ??= clock.monotonic()
    const answersSince = leases.answersSince()
    if (answersSince === null) return
    if (sent - Math.max(failedFirst, answersSince) > settings.leaseMs)
      throw new TerminalError('claim_unanswered', `no claim of ${effectId} is answered`)
  }
}

/**
 * Claims an effect. It is asked for until the register answers, which then knows the claim again, as often as a lease is renewed: one
 * whose answer was lost is not to end, for want of a question, a lease after an outage. While the register is away, it is asked for
 * without an end: one that was sent before may be granted when the register comes back, however late. Rejects after a lease in which
 * the register answered everything else: a run whose rows cannot be written must not keep the places of those who wait for its claims.
 * Its lease is renewed meanwhile (L5 of the leases).
 */
export async function claimEffect(
  deps: ClaimDeps,
  of: Pick<EffectRow, 'effectId' | 'runId' | 'tenantId' | 'threadId' | 'rootId'> &
    Partial<Pick<EffectRow, 'attempt'>>,
): Promise<Claim> {
  const { effectId, runId, tenantId, threadId } = of
  const drafted = deps.clock.monotonic()
  const draft = draftClaim(deps, effectId)
  const failed = endurance(deps, effectId)
  let tries = 0
  const claim = async () => {
    tries += 1
    const sent = deps.clock.monotonic()
    try {
      return await deps.register.append({ runId, tenantId, claims: [draft] })
    } catch (error) {
      failed(sent)
      throw error
    }
  }
  const endRenewal = deps.leases.renewWhileAsked({ effectId, attempt: (of.attempt ?? 0) + 1 })
  const patience = { ...deps, pauseMs: deps.settings.renewMs }
  const result = await insist(patience, 'claim', claim).finally(endRenewal)
  const { code = 'gone', attempt = 0 } = result.claims[0] ?? {}
  // One whose first answer was lost is still one's own after a cancel, and nobody has heard of that here.
  const since = tries > 1 ? -Infinity : drafted
  return {
    code,
    lease: { effectId, runId, rootId: of.rootId ?? runId, threadId, attempt, since },
    result,
  }
}
