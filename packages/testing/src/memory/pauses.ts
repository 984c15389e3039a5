/** Pauses in memory: what starts nothing new, and what was refused for it. */
import { limits } from '@signalbox/core'
import type { LedgerPort, Pause, PausePort, RunHead } from '@signalbox/engine'
import type { EffectRecord, PauseRow, Tables } from './tables.ts'

interface Asking {
  readonly effect: EffectRecord
  readonly agent: string
}

const isOver = ({ until }: PauseRow, now: number): boolean => until !== null && until <= now

/** The pauses of a tenant that are not over. */
const standing = (tables: Tables, now: number, tenantId: string): readonly PauseRow[] =>
  [...tables.pauses.values()].filter((pause) => pause.tenantId === tenantId && !isOver(pause, now))

/** Is the effect what a pause means? What starts a run is a call of its tool; what recalls one executes nothing. */
function isAimedAt({ target, tenantId }: PauseRow, { effect, agent }: Asking): boolean {
  if (effect.tenantId !== tenantId) return false
  const { kind, queue, spec } = effect
  switch (target.kind) {
    case 'agent':
      return target.name === agent && kind !== 'webhook.deliver'
    case 'tool':
      return (spec.kind === 'tool.call' || spec.kind === 'run.start') && spec.tool === target.name
    case 'queue':
      return target.name === queue && kind === 'tool.call'
  }
}

export const isPaused = (tables: Tables, now: number, asking: Asking): boolean =>
  standing(tables, now, asking.effect.tenantId).some((pause) => isAimedAt(pause, asking))

export const isAgentPaused = (
  tables: Tables,
  now: number,
  { tenantId, agent }: Pick<RunHead, 'tenantId' | 'agent'>,
): boolean =>
  standing(tables, now, tenantId).some(
    ({ target }) => target.kind === 'agent' && target.name === agent,
  )

/** Nobody looks at the effect any more until it is released. */
export function hold(effect: EffectRecord): void {
  effect.held ??= effect.notBefore
  effect.due = Infinity
  if (effect.status === 'pending') effect.notBefore = Infinity
}

/** Gives back what pauses held that are over and no other pause refuses; then forgets the pause. */
export function release(tables: Tables, now: number, limit: number): void {
  for (const pause of [...tables.pauses.values()].filter((each) => isOver(each, now))) {
    const held = [...tables.effects.values()].filter((effect) => {
      const agent = tables.runs.get(effect.runId)?.agent ?? ''
      const asking = { effect, agent }
      return effect.held !== null && isAimedAt(pause, asking) && !isPaused(tables, now, asking)
    })
    for (const effect of held.slice(0, limit)) free(effect, now)
    if (held.length <= limit) tables.pauses.delete(pause.pauseId)
  }
}

function free(effect: EffectRecord, now: number): void {
  const { held, status, kind } = effect
  effect.held = null
  if (status === 'pending') effect.notBefore = held ?? now
  // A tool call is announced by number, as it was before.
  effect.due = status === 'pending' && kind === 'tool.call' ? Infinity : now
}

const isSame = (a: Pause, b: Pause): boolean => a.reason === b.reason && a.until === b.until

/** `ledger`: keeps what is told. */
export function pausesOf(
  tables: Tables,
  clock: { readonly now: () => number },
  ledger: Pick<LedgerPort, 'recordInLedger'>,
): PausePort {
  const ofTenant = (tenantId: string) => standing(tables, clock.now(), tenantId)
  return {
    pause: async ({ told, ...wanted }) => {
      const { pauseId, tenantId, target, reason, until } = wanted
      const all = ofTenant(tenantId)
      const old = all.find(
        (each) => each.target.kind === target.kind && each.target.name === target.name,
      )
      if (old && isSame(old, wanted))
        return { code: 'unchanged', pauseId: old.pauseId, confirmed: true }
      if (old && old.pauseId !== pauseId)
        return { code: 'taken', pauseId: old.pauseId, confirmed: true }
      if (!old && all.length >= limits.pausesMax) return { code: 'full', pauseId, confirmed: true }
      await ledger.recordInLedger(told)
      if (old) Object.assign(old, { reason, until })
      else tables.pauses.set(pauseId, wanted)
      return { code: old ? 'changed' : 'created', pauseId, confirmed: true }
    },
    lift: async (tenantId, pauseId, told) => {
      const found = ofTenant(tenantId).find((pause) => pause.pauseId === pauseId)
      if (!found) return false
      await ledger.recordInLedger(told)
      found.until = clock.now()
      return true
    },
    pauses: async (tenantId) => ofTenant(tenantId).map((pause) => ({ ...pause })),
  }
}
