/**
 * How the effects are performed that outlive their runs: what comes of one is a note, which moves the effect in the same append, fenced by
 * the attempt. A process that vanishes between the work and the note leaves the work to be done again.
 */
import type { EffectKind } from '@signalbox/core'
import { type Claim, draftClaim } from '../perform/claim.ts'
import type { AppendItem } from '../ports.ts'
import { insist } from '../record/patience.ts'
import { type Claimable, type LoopDeps, performClaimed, type Performer } from './loop.ts'
import { type EffectOf, type RowOf, rowOf } from './row.ts'

/** The record of an attempt: its notes, and how its effect is settled. */
export type Noted = Pick<AppendItem, 'notes' | 'settle'>

/** The parts of a performer that are the same for all of them. `leave` gives the room of one to others, before it is recorded. */
export const outliving = (
  deps: LoopDeps,
  leave: () => void,
): Required<Pick<Performer<Claimable, unknown, Noted>, 'needsRun' | 'claim' | 'record'>> => ({
  // It is about the run, and decides nothing of it.
  needsRun: false,
  claim: (of) => claimOnce(deps, of),
  async record({ runId, tenantId }, outcome) {
    leave()
    const append = () => deps.register.append({ runId, tenantId, ...outcome })
    deps.views.noted(runId, await insist(deps, 'append', append))
  },
})

/** Once: if that fails, the reconciler finds the effect again. */
async function claimOnce(
  deps: LoopDeps,
  { effectId, runId, tenantId, threadId, rootId }: Claimable,
): Promise<Claim> {
  const since = deps.clock.monotonic()
  const claims = [draftClaim(deps, effectId)]
  const result = await deps.register.append({ runId, tenantId, claims })
  const { code = 'gone', attempt = 0 } = result.claims[0] ?? {}
  const place = { runId, rootId: rootId ?? runId, threadId }
  return { code, lease: { effectId, ...place, attempt, since, outlivesRun: true }, result }
}

/** Performs effects of a kind, at most so many at a time: one for which there is no room is found again by the reconciler. */
export function performInRoom<K extends EffectKind, T>(
  deps: LoopDeps,
  of: {
    readonly kind: K
    readonly most: number
    readonly performer: (leave: () => void) => Performer<RowOf<EffectOf<K>>, T, Noted>
  },
): (effectId: string) => Promise<void> {
  /** Effects that use the room: not those whose outcome a register does not take. */
  let inside = 0
  return async (effectId) => {
    if (deps.draining.aborted || inside >= of.most) return
    inside += 1
    let isIn = true
    const leave = (): void => {
      if (isIn) inside -= 1
      isIn = false
    }
    const perform = async (): Promise<void> => {
      const row = rowOf(of.kind, await deps.register.effect(effectId))
      if (row) await performClaimed(deps, of.performer(leave), row)
    }
    await perform().finally(leave)
  }
}
