/** Claims: the one way an effect starts (I8, I10, I14). */
import { outlivesRun } from '@signalbox/core'
import { type ClaimCode, type ClaimDraft, type Claimed, payloadHash } from '@signalbox/engine'
import { hasRoomForClaim } from './history.ts'
import { hasLapsed } from './lapse.ts'
import { hold, isPaused } from './pauses.ts'
import { isClaim } from './rules.ts'
import type { EffectRecord, RunNow, Tables } from './tables.ts'
import { write } from './write.ts'

export function claim(tables: Tables, place: RunNow, draft: ClaimDraft): Claimed {
  const { run, now } = place
  const answer = (code: ClaimCode, attempt: number): Claimed => ({
    effectId: draft.effectId,
    code,
    attempt,
  })
  if (!isClaim(draft)) return answer('rejected', 0)
  const effect = tables.effects.get(draft.effectId)
  const isHere = effect?.runId === run.runId
  if (isHere && isOwn(tables, effect, draft)) return answer('ok', effect.attempt)
  const code = isHere ? codeOf(tables, place, effect) : 'gone'
  // An effect that a pause holds begins nothing before it is released: the run needs no room for it yet.
  const begins = code === 'ok' && isHere && effect.notBefore <= now
  if (begins && !hasRoomForClaim(tables, run)) {
    if (run.status !== 'ended') return answer('full', effect.attempt)
    // Of a run that has ended nobody can make room: nothing is tried for ever.
    effect.status = 'cancelled'
    return answer('gone', effect.attempt)
  }
  if (code === 'ok' && isHere && isPaused(tables, now, { effect, agent: run.agent })) {
    hold(effect)
    return answer('paused', effect.attempt)
  }
  if (code !== 'ok' || !effect) return answer(code, effect?.attempt ?? 0)
  effect.status = 'started'
  effect.attempt += 1
  effect.owner = draft.owner
  effect.leaseUntil = now + draft.leaseMs
  effect.leaseMs = draft.leaseMs
  effect.due = now + draft.leaseMs
  const { effectId, leaseMs, owner, salt, at } = draft
  const payload = { attempt: effect.attempt, effectId, leaseMs, owner }
  // Of a recall nothing executes: it is not among the executions of its tool.
  const tool = effect.kind !== 'tool.recall' && 'tool' in effect.spec ? effect.spec.tool : null
  const about = { type: 'effect.started', version: 1, at, actor: owner, tool, verdict: null }
  const event = { ...about, payload, salt, payloadHash: payloadHash(salt, payload) }
  write(tables, run, { draft: event, key: null, fact: false })
  return answer('ok', effect.attempt)
}

/** Is it the very claim that holds the effect, sent once more because nobody heard the answer? */
const isOwn = ({ events }: Tables, effect: EffectRecord, { owner, salt }: ClaimDraft): boolean =>
  effect.status === 'started' &&
  effect.owner === owner &&
  (events.get(effect.runId) ?? []).some(
    (event) =>
      event.type === 'effect.started' &&
      event.salt === salt &&
      event.payload['effectId'] === effect.effectId &&
      event.payload['attempt'] === effect.attempt,
  )

/** One that is held may be claimed as soon as it is released, and is refused for the pause until then. */
const dueAt = (tables: Tables, { run, now }: RunNow, effect: EffectRecord): number =>
  effect.held !== null && isPaused(tables, now, { effect, agent: run.agent })
    ? effect.held
    : effect.notBefore

function codeOf(tables: Tables, { run, now }: RunNow, effect: EffectRecord): ClaimCode {
  const outlives = outlivesRun(effect.kind)
  if ((run.cancelRequested || run.status === 'ended') && !outlives) return 'cancelled'
  if (effect.status === 'pending') return dueAt(tables, { run, now }, effect) > now ? 'early' : 'ok'
  if (effect.status !== 'started') return 'gone'
  if (!hasLapsed(tables, effect, now)) return 'leased'
  return effect.mode === 'once' ? 'lost' : 'ok'
}
