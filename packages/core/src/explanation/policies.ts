/** The words of policies about a call: inside the decision, when they were asked with I/O, and right before the execution. */
import type { FactPayload } from '../event/fact.ts'
import type { Check } from './check.ts'
import type { Known } from './place.ts'
import { type CallStory, proofOf, type TransitionEvent } from './story.ts'

type PolicyCheck = Extract<Check, { check: 'policy' }>

/** The answer of the policies inside the decision on the call, by the event that proves it. */
export const inDecision = (
  event: Parameters<typeof proofOf>[0],
  { verdict, reasons, says }: Pick<PolicyCheck, 'verdict' | 'reasons' | 'says'>,
  names: ReturnType<typeof nameOf>,
): PolicyCheck => ({
  check: 'policy',
  verdict,
  asked: 'decision',
  ...names,
  reasons,
  proof: proofOf(event),
  says,
})

const unnamed = { policy_id: null, policy_digest: null } as const
const noObjection =
  'The lists and policies of the pinned definition raised no objection. A pass is recorded by the decision, without a digest of its own.'

/** A pass of pure policies is recorded by the decision alone, which names no policy. */
export const allowed = (step: TransitionEvent, says = noObjection): Check =>
  inDecision(step, { verdict: 'allow', reasons: [], says }, unnamed)

/**
 * A call that went on to the policies with I/O: the others did not deny it. That one of them wants a person is recorded only later, by
 * the event that says so.
 */
export const passedOn = (call: CallStory, step: TransitionEvent): readonly Check[] =>
  isGated(call)
    ? []
    : [
        allowed(
          step,
          'The lists and policies of the pinned definition that are judged at once did not deny the call. A pass is recorded by the decision, without a digest of its own.',
        ),
      ]

/** Was a person wanted, though the policies with I/O wanted none? */
function isGated({ id, events }: CallStory): boolean {
  const wanted = events.some(
    ({ type }) =>
      type === 'approval.requested' || type === 'approval.reused' || type === 'approval.skipped',
  )
  const asked = events.some(
    (event) =>
      event.type === 'policy.answered' &&
      event.payload.decisions.some(
        ({ callId, answer }) => callId === id && answer.effect === 'require_approval',
      ),
  )
  return wanted && !asked
}

export const nameOf = ({
  policyId = '',
  policyDigest = '',
}: {
  readonly policyId?: string | undefined
  readonly policyDigest?: string | undefined
}) => ({
  policy_id: policyId === '' ? null : policyId,
  policy_digest: policyDigest === '' ? null : policyDigest,
})

/** A policy by name and digest, as far as the event has them. */
export const policyText = (names: ReturnType<typeof nameOf>): string =>
  `${names.policy_id === null ? 'A policy' : `The policy ${names.policy_id}`}${names.policy_digest === null ? '' : ` (${names.policy_digest})`}`

type Decision = FactPayload<'policy.answered'>['decisions'][number]

/** The policies with I/O may answer for several calls in one event. */
export function answeredBy(call: CallStory, event: Known<'policy.answered'>): readonly Check[] {
  const proof = proofOf(event)
  return event.payload.decisions
    .filter(({ callId }) => callId === call.id)
    .map(({ answer }: Decision): Check => {
      const names = nameOf(answer)
      const { effect: verdict, reasons } = answer
      const words = {
        allow: 'allows the call',
        warn: 'allows the call, and warns of it',
        deny: 'denies the call',
        require_approval: 'wants a person to approve the call',
      }
      const says = `${policyText(names)} ${words[verdict]}${reasonText(reasons)}.`
      return { check: 'policy', verdict, asked: 'evaluation', ...names, reasons, proof, says }
    })
}

const reasonText = ([first]: readonly { readonly code: string }[]): string =>
  first ? ` (${first.code})` : ''

export function faultedCheck(event: Known<'policy.faulted'>): Check {
  const { policyId, message } = event.payload
  const reasons = [{ code: 'policy_faulted', message: message.slice(0, 500) }]
  const says = `The policy ${policyId} could not answer.`
  const names = { ...unnamed, policy_id: policyId }
  return inDecision(event, { verdict: 'faulted', reasons, says }, names)
}

export function warnedCheck(event: Known<'policy.warned'>): Check {
  const { code, message, reasons = [{ code, message }] } = event.payload
  const names = nameOf(event.payload)
  const says = `${policyText(names)} allows the call, and warns of it (${code}).`
  return inDecision(event, { verdict: 'warn', reasons, says }, names)
}

export function flaggedCheck(event: Known<'call.flagged'>): Check {
  const { rule, message } = event.payload
  const names = nameOf(event.payload)
  const says = `${policyText(names)} lets the call run, and flags its script (${rule}).`
  const reasons = [{ code: rule, message }]
  const proof = proofOf(event)
  return { check: 'policy', verdict: 'warn', asked: 'decision', ...names, reasons, proof, says }
}

export function deniedCheck(event: Known<'call.denied'>): Check {
  const { code, message, reasons = [{ code, message }] } = event.payload
  const names = nameOf(event.payload)
  if (names.policy_id === null && !code.startsWith('oap.'))
    return {
      check: 'denial',
      verdict: 'denied',
      code,
      message,
      proof: proofOf(event),
      says: `The call was denied (${code}).`,
    }
  const says = `${policyText(names)} denies the call (${code}).`
  return inDecision(event, { verdict: 'deny', reasons, says }, names)
}

export function rechecked(event: Known<'tool.denied'>): Check {
  const { answer, configuration } = event.payload
  const names = nameOf(answer)
  const whose =
    configuration === 'current' ? "today's configuration of the worker" : 'the pinned definition'
  const says = `Asked again right before the execution, ${policyText(names).replace(/^A|^The/, (word) => word.toLowerCase())} of ${whose} denied the call${reasonText(answer.reasons)}.`
  return {
    check: 'recheck',
    verdict: 'deny',
    configuration,
    ...names,
    reasons: answer.reasons,
    proof: proofOf(event),
    says,
  }
}
