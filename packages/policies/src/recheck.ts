/**
 * The second question, right before an execution: a passport may have been suspended while the call waited, and a
 * human's approval may be days old. Answers the first denial in the order of the specs.
 *
 * R1 An aborted signal is no denial: it rejects with its reason.
 * R2 A policy that cannot be asked is a denial, unless `failClosed` is false. One that answers badly for sure is one always: a
 *    passport that is gone is not a passport that cannot be asked.
 * R3 Approval covers a policy that asks for it only if somebody did approve.
 */
import type { PolicyAnswer, PolicyRequest, PolicySpec } from '@signalbox/core'
import { needsIo } from '@signalbox/core'
import { type Log, messageOf } from '@signalbox/engine'
import { policyAnswer, denial } from './answer.ts'
import { isLiving } from './living/living.ts'

/** How to ask again. */
export interface Recheck {
  readonly approved: boolean
  /** Policies with I/O that were never asked about the call. */
  readonly all?: true
  readonly failClosed: boolean
  readonly signal: AbortSignal
  readonly log: Log
  /** Asks a living passport or a policy with I/O. */
  readonly ask: (spec: PolicySpec, request: PolicyRequest) => Promise<PolicyAnswer>
}

/** Asks every policy that is due, all at once. Null if none denies. */
export async function recheck(
  specs: readonly PolicySpec[],
  request: PolicyRequest,
  how: Recheck,
): Promise<PolicyAnswer | null> {
  const asksIo = how.approved || how.all === true
  const due = specs.filter((spec) => isLiving(spec) || (asksIo && needsIo(spec)))
  const denials = await Promise.all(due.map((spec) => denialOf(spec, request, how)))
  how.signal.throwIfAborted()
  return denials.find((each) => each !== null) ?? null
}

async function denialOf(
  spec: PolicySpec,
  request: PolicyRequest,
  how: Recheck,
): Promise<PolicyAnswer | null> {
  try {
    const said = await how.ask(spec, request)
    if (said.effect === 'deny') return said
    if (said.effect !== 'require_approval' || how.approved) return null
    return policyAnswer({ id: said.policyId, digest: said.policyDigest }, 'deny', said.reasons)
  } catch (error) {
    how.signal.throwIfAborted()
    const { failClosed } = how
    how.log.warn('a policy could not be asked again', {
      policy: spec.id,
      failClosed,
      error: messageOf(error),
    })
    if (!failClosed) return null
    // The details are the operator's: this message is read by the model.
    return denial(spec, 'oap.evaluator_error', `The policy ${spec.id} could not be asked.`)
  }
}
