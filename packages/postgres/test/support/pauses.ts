/** Drafts of pauses, with the records that go with them. */
import {
  ledgerDraft,
  type NamedTarget,
  type PauseDraft,
  systemClock,
  systemRandom,
} from '@signalbox/engine'
import { randomUUID } from 'node:crypto'

const by = { clock: systemClock, random: systemRandom }

/** A pause of an agent, unless it says of what. */
export function pausing(
  tenantId: string,
  target: NamedTarget = { kind: 'agent', name: 'writer' },
  over: Partial<Omit<PauseDraft, 'told'>> = {},
): PauseDraft {
  const pauseId = over.pauseId ?? randomUUID()
  const reason = over.reason ?? 'an outage'
  const payload = { pause: pauseId, target: { agent: target.name }, reason }
  const told = ledgerDraft(by, { tenant: tenantId, type: 'pause.set', payload, actor: 'user:ann' })
  return { until: null, ...over, pauseId, tenantId, target, reason, told }
}

/** What `lift` takes. */
export function lifting(tenantId: string, pauseId: string) {
  const payload = { pause: pauseId, target: { agent: 'writer' }, reason: 'an outage' }
  const told = ledgerDraft(by, {
    tenant: tenantId,
    type: 'pause.lifted',
    payload,
    actor: 'user:ann',
  })
  return [tenantId, pauseId, told] as const
}
