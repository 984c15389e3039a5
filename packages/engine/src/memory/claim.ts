/** Claims: the one way an effect starts (I8, I10, I14). */
import { payloadHash } from '../record/draft.ts'
import type { ClaimCode, ClaimDraft, Claimed } from '../ports.ts'
import { hasRoomForClaim } from './history.ts'
import { isClaim } from './rules.ts'
import type { EffectRecord, RunRow, Tables } from './tables.ts'
import { write } from './write.ts'

export function claim(
  tables: Tables,
  place: { readonly run: RunRow; readonly now: number },
  draft: ClaimDraft,
): Claimed {
  const { run, now } = place
  if (!isClaim(draft)) return { effectId: draft.effectId, code: 'rejected', attempt: 0 }
  const effect = tables.effects.get(draft.effectId)
  const code = effect && effect.runId === run.runId ? codeOf(run, effect, now) : 'gone'
  if (code === 'ok' && effect && !hasRoomForClaim(tables, run)) {
    if (run.status !== 'ended')
      return { effectId: draft.effectId, code: 'full', attempt: effect.attempt }
    // Of a run that has ended nobody can make room: nothing is tried for ever.
    effect.status = 'cancelled'
    return { effectId: draft.effectId, code: 'gone', attempt: effect.attempt }
  }
  if (code !== 'ok' || !effect)
    return { effectId: draft.effectId, code, attempt: effect?.attempt ?? 0 }
  effect.status = 'started'
  effect.attempt += 1
  effect.owner = draft.owner
  effect.leaseUntil = now + draft.leaseMs
  effect.due = now + draft.leaseMs
  const { effectId, leaseMs, owner, salt, at } = draft
  const payload = { attempt: effect.attempt, effectId, leaseMs, owner }
  // Of a recall nothing executes: it is not among the executions of its tool.
  const tool = effect.kind !== 'tool.recall' && 'tool' in effect.spec ? effect.spec.tool : null
  const about = { type: 'effect.started', version: 1, at, actor: owner, tool, verdict: null }
  const event = { ...about, payload, salt, payloadHash: payloadHash(salt, payload) }
  write(tables, run, { draft: event, key: null, fact: false })
  return { effectId, code: 'ok', attempt: effect.attempt }
}

function codeOf(run: RunRow, effect: EffectRecord, now: number): ClaimCode {
  const outlives = effect.kind === 'webhook.deliver'
  if ((run.cancelRequested || run.status === 'ended') && !outlives) return 'cancelled'
  if (effect.status === 'pending') return effect.notBefore > now ? 'early' : 'ok'
  if (effect.status !== 'started') return 'gone'
  // Without a lease it goes on by itself: a run that was started.
  if (effect.leaseUntil === null || effect.leaseUntil > now) return 'leased'
  return effect.mode === 'once' ? 'lost' : 'ok'
}
