/** The words of people about a call, asked and unasked. */
import type { FactPayload } from '../event/fact.ts'
import type { Check } from './check.ts'
import type { Reading } from './checks.ts'
import { momentOf } from './moment.ts'
import type { CallType, Known } from './place.ts'
import { inDecision, nameOf, policyText } from './policies.ts'
import { proofOf, type Story } from './story.ts'

export type ApprovalType = Extract<CallType, `approval.${string}`>

type Approval = Extract<Check, { check: 'approval' }>

const nothing = {
  check: 'approval',
  approval_id: null,
  args_hash: null,
  edited_args_hash: null,
  scope: null,
  by: null,
  note: null,
  expires_at: null,
  earlier: null,
} as const

/** The checks that an event about approval adds. */
export function approvalChecks(reading: Reading, event: Known<ApprovalType>): readonly Check[] {
  const base = { ...nothing, actor: event.actor, proof: proofOf(event) }
  switch (event.type) {
    case 'approval.requested':
      return [...wanted(reading, event), requested(event, base)]
    case 'approval.answered':
      return [answered(event, base)]
    case 'approval.reused': {
      const { argsHash, scope } = event.payload
      const earlier = scope === 'run' ? earlierIn(reading.story, event) : null
      const where = earlier ? ` (#${earlier.seq})` : ''
      const reach = scope === 'run' ? 'in this run' : 'in every run of the agent'
      const says = `Nobody was asked: a person had approved this tool with these arguments ${reach}${where}.`
      const check: Approval = {
        ...base,
        verdict: 'reused',
        args_hash: argsHash,
        scope,
        earlier,
        says,
      }
      return [...wanted(reading, event), check]
    }
    case 'approval.skipped': {
      const says =
        'A person would have had to approve the call; in a rerun nothing executes, so nobody was asked.'
      const { argsHash } = event.payload
      return [...wanted(reading, event), { ...base, verdict: 'skipped', args_hash: argsHash, says }]
    }
    case 'approval.expired': {
      const says = 'Nobody answered in time: the call was rejected.'
      return [{ ...base, verdict: 'expired', approval_id: event.payload.approvalId, says }]
    }
  }
}

type Base = Omit<Approval, 'verdict' | 'says'>

function requested(event: Known<'approval.requested'>, base: Base): Approval {
  const { argsHash, approvalId, expiresAt } = event.payload
  const expires_at = expiresAt === null ? null : momentOf(expiresAt)
  const says = `A person was asked to approve exactly these arguments${expires_at === null ? '' : `, until ${expires_at}`}.`
  return {
    ...base,
    verdict: 'asked',
    approval_id: approvalId,
    args_hash: argsHash,
    expires_at,
    says,
  }
}

/** The author of a decision: the person, if the server knew one, and whose key or process wrote it. */
export const whoOf = ({ by, actor }: Pick<Approval, 'by' | 'actor'>): string =>
  by === null ? actor : `${by.id} (${by.role === null ? '' : `${by.role}, `}${actor})`

function answered(event: Known<'approval.answered'>, base: Base): Approval {
  const { decision, argsHash, note = null, scope = null, edited, by = null } = event.payload
  const who = whoOf({ by, actor: event.actor })
  const about = { ...base, args_hash: argsHash, scope, note, by }
  switch (decision) {
    case 'approve':
      return { ...about, verdict: 'approved', says: `${who} approved exactly these arguments.` }
    case 'reject':
      return { ...about, verdict: 'rejected', says: `${who} rejected the call.` }
    case 'edit': {
      const says = `${who} wrote other arguments in the place of those that were asked for.`
      return { ...about, verdict: 'edited', edited_args_hash: edited?.argsHash ?? null, says }
    }
  }
}

/** A policy wanted a person, and said so only by this event. */
function wanted(
  { checks }: Reading,
  event: Known<'approval.requested' | 'approval.reused' | 'approval.skipped'>,
): readonly Check[] {
  const policies = checks.filter((each) => each.check === 'policy')
  if (policies.some((each) => each.verdict === 'require_approval')) return []
  // Of older definitions the event names the policy that answered last, though that had nothing against the call.
  const isOthers = policies.some(
    (each) => each.asked === 'evaluation' && each.verdict !== 'faulted',
  )
  const named = 'policyId' in event.payload ? event.payload : {}
  const names = nameOf(isOthers ? {} : named)
  const isTheirReason = isOthers && nameOf(named).policy_id !== null
  const reason = 'reason' in event.payload && !isTheirReason ? event.payload.reason : ''
  const reasons =
    reason === '' ? [] : [{ code: 'approval_required', message: reason.slice(0, 500) }]
  const wants = isOthers ? 'A list or policy of the pinned definition' : policyText(names)
  const says = `${wants} wants a person to approve the call.`
  return [inDecision(event, { verdict: 'require_approval', reasons, says }, names)]
}

/** The answer of this run that reaches as far as this call. */
function earlierIn(story: Story, event: Known<'approval.reused'>) {
  const { tool, argsHash } = event.payload
  const stands = ({ decision, scope, ...of }: FactPayload<'approval.answered'>) =>
    decision === 'approve' &&
    (scope === 'run' || scope === 'always') &&
    of.tool === tool &&
    of.argsHash === argsHash
  const found = [...story.bySeq.values()].findLast(
    (each) => each.seq < event.seq && each.type === 'approval.answered' && stands(each.payload),
  )
  return found ? proofOf(found) : null
}
