/** Asks the policies with I/O, on orchestrators: at once after the decision that needs them, or when the reconciler finds it. */
import type { PolicyEffect } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import { claimEffect } from '../perform/claim.ts'
import type { Held, Leases } from '../perform/leases.ts'
import { performPolicyCall, type PolicyCallDeps, readQuestion } from '../perform/policy-call.ts'
import type { Log, Random, Register } from '../ports.ts'
import type { Patience } from '../record/patience.ts'
import type { Recorder } from '../record/recorder.ts'
import type { Strangers } from '../record/strangers.ts'
import type { Views } from '../record/view.ts'
import type { EngineSettings } from '../settings.ts'
import { newerIn } from './newer-in.ts'

export interface PolicyPerformerDeps extends PolicyCallDeps, Patience {
  readonly register: Register
  readonly views: Views
  readonly strangers: Strangers
  readonly recorder: Recorder
  readonly leases: Leases
  readonly random: Random
  readonly log: Log
  readonly settings: EngineSettings
  readonly draining: AbortSignal
}

/** A question that waits, and whose it is. */
export interface Question {
  readonly runId: string
  readonly tenantId: string
  readonly threadId: string
  /** The run at the top of the tree; null for a run that no run started. */
  readonly rootId: string | null
  readonly definitionHash: string
  readonly machineVersion: number
  readonly effect: PolicyEffect
}

export interface PolicyPerformer {
  /** Claims and asks. A refused claim does nothing. */
  take(question: Question): Promise<void>
  idle(): Promise<void>
}

export function createPolicyPerformer(deps: PolicyPerformerDeps): PolicyPerformer {
  const running = new Set<Promise<void>>()

  const ask = async (question: Question): Promise<void> => {
    const { runId, tenantId, threadId, effect } = question
    if (deps.draining.aborted) return
    const agent = await agentOf(question)
    if (!agent) return
    const { code, lease, result } = await claimEffect(deps, { ...question, effectId: effect.id })
    if (code !== 'ok') return
    deps.views.noted(runId, result)
    const task = {
      runId,
      tenantId,
      threadId,
      agent,
      effect,
      attempt: lease.attempt,
      seq: result.seq,
    }
    await deps.leases.hold(
      lease,
      (held: Held) => performPolicyCall(deps, task, held),
      (fact) => deps.recorder.record(question, [fact]),
    )
  }

  /** Null: another process is to ask, which has the policies, and can read what they are asked about. */
  const agentOf = async (question: Question) => {
    const why =
      (await deps.views.notMine(question)) ?? (await newerIn(() => readQuestion(deps, question)))
    if (why === null) return deps.views.definition(question.definitionHash)
    deps.strangers.leave(question, why)
    return null
  }

  return {
    take(question) {
      const work = ask(question)
        .catch((error: unknown) =>
          deps.log.warn('policies could not be asked', {
            effectId: question.effect.id,
            error: messageOf(error),
          }),
        )
        .finally(() => running.delete(work))
      running.add(work)
      return work
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
