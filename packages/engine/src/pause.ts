/** Pausing and resuming: what is done is recorded with it, or not done. */
import type { PauseTarget } from '@signalbox/core'
import type { PauseAnswerOf, PauseRequest, ResumeRequest } from './engine.ts'
import type { LedgerDraft, NamedTarget, Pause, Register } from './ports.ts'
import { ledgerDraft, type LedgerDeps } from './record/ledger.ts'
import { insist, type Patience } from './record/patience.ts'

export interface PauseDeps extends Patience {
  readonly register: Register
}

/** Others may pause the same at the same moment. */
const triesMax = 5

/** May be repeated: the second time nothing changes, and those who may have missed it are waited for again. */
export async function pauseWork(deps: PauseDeps, request: PauseRequest): Promise<PauseAnswerOf> {
  const { tenantId, target, reason, until, actor } = request
  let pauseId = deps.random.uuid()
  for (let tries = 0; tries < triesMax; tries += 1) {
    const wanted = { pauseId, tenantId, target, reason, until }
    const told = toldOf(deps, wanted, { type: 'pause.set', actor })
    const answer = await insist(deps, 'pause', () => deps.register.pause({ ...wanted, told }))
    if (answer.code !== 'taken') return { ...answer, code: answer.code }
    pauseId = answer.pauseId
  }
  return { code: 'busy' }
}

/** Answers whether there was such a pause. */
export async function resumeWork(deps: PauseDeps, request: ResumeRequest): Promise<boolean> {
  const { tenantId, pauseId, actor } = request
  const all = await insist(deps, 'read pauses', () => deps.register.pauses(tenantId))
  const found = all.find((each) => each.pauseId === pauseId)
  if (!found) return false
  const told = toldOf(deps, found, { type: 'pause.lifted', actor })
  return insist(deps, 'resume', () => deps.register.lift(tenantId, pauseId, told))
}

function toldOf(
  deps: LedgerDeps,
  { pauseId, tenantId, target, reason, until }: Pause,
  by: { readonly type: 'pause.set' | 'pause.lifted'; readonly actor: string },
): LedgerDraft {
  const end = until === null ? {} : { until }
  const payload = { pause: pauseId, target: asWords(target), reason, ...end }
  return ledgerDraft(deps, { tenant: tenantId, payload, ...by })
}

function asWords({ kind, name }: NamedTarget): PauseTarget {
  switch (kind) {
    case 'agent':
      return { agent: name }
    case 'tool':
      return { tool: name }
    case 'queue':
      return { queue: name }
  }
}
