/** Claims in the name of this process. */
import type { ClaimDraft, Clock, Random } from '../ports.ts'
import type { EngineSettings } from '../settings.ts'

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
