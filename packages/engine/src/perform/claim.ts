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
import type { Lease } from './leases.ts'

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

/** What came of a claim. */
export interface Claim {
  readonly code: ClaimCode
  /** What it is held by, where the code is `ok`; the attempt also where it is `lost`. */
  readonly lease: Lease
  readonly result: AppendResult
}

/**
 * A claim is asked for during as many leases: longer than a register is away, as a rule, for one whose answer was lost may be
 * granted, and not for ever, since a run that no register takes anything of must not keep those who wait for its claim.
 */
const leasesMax = 8

/** Claims an effect. It is asked for until the register answers, which then knows the claim again. Rejects after a while. */
export async function claimEffect(
  deps: Patience & { readonly register: Register; readonly settings: EngineSettings },
  of: Pick<EffectRow, 'effectId' | 'runId' | 'tenantId' | 'threadId' | 'rootId'>,
): Promise<Claim> {
  const { effectId, runId, tenantId, threadId } = of
  const drafted = deps.clock.monotonic()
  const draft = draftClaim(deps, effectId)
  let tries = 0
  const result = await insist(deps, 'claim', () => {
    tries += 1
    if (deps.clock.monotonic() - drafted > leasesMax * deps.settings.leaseMs)
      throw new TerminalError('claim_unanswered', `nobody answers the claim of ${effectId}`)
    return deps.register.append({ runId, tenantId, claims: [draft] })
  })
  const { code = 'gone', attempt = 0 } = result.claims[0] ?? {}
  // One whose first answer was lost is still one's own after a cancel, and nobody has heard of that here.
  const since = tries > 1 ? -Infinity : drafted
  return {
    code,
    lease: { effectId, runId, rootId: of.rootId ?? runId, threadId, attempt, since },
    result,
  }
}
