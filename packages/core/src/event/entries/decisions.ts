/** The entries of decisions: what safety, guardrails, policies, humans, the loop check and budgets decided, and about what. */
import type { DecisionPayload, DecisionType } from '../decision.ts'
import {
  type Entry,
  limitParts,
  type Parts,
  reach,
  takenOut,
  timeOf,
  withWord,
  words,
} from '../entry.ts'

const ofTrip = ['$.trip.guardrail.name', '$.trip ? (@.partType != "error").feedback']
const ofReasons = ['$.code', '$.message', '$.reasons[*].code', '$.reasons[*].message']
/** The words of a model that was asked again are a provider's, but for an answer that said nothing. */
const ofAgain = ['$.class', '$ ? (@.class == "empty_answer").message']

const explained = ({
  messageId,
  explanation,
}: {
  readonly messageId: string
  readonly explanation: string
}) => ({ messageId, text: explanation })

/** Entries by type. */
export const decisionEntries: { readonly [T in DecisionType]: Entry<DecisionPayload<T>> } = {
  'run.transitioned': {
    says: ({ path, outcome }) => [path.join(' → '), outcome === null ? '' : `(${outcome})`],
    searched: [],
  },
  'safety.suppressed': {
    tone: 'notice',
    says: ({ calls }) => [takenOut(calls)],
    searched: ['$.explanation', '$.evidence[*].value', '$.calls[*].name'],
    isNotable: true,
    sentence: explained,
  },
  'turn.cut': {
    tone: 'notice',
    says: ({ verdict, calls, error, reason }) => [
      verdict,
      takenOut(calls),
      error?.message ?? '',
      reason?.detail ?? '',
    ],
    searched: ['$.explanation', '$.calls[*].name'],
    isNotable: true,
    sentence: explained,
  },
  'turn.continued': {
    tone: 'notice',
    says: ({ turn }) => [`after turn ${turn} reached its length`],
    searched: [],
  },
  'answer.missing': {
    tone: 'alarm',
    says: ({ turn }) => [`turn ${turn} said nothing, twice`],
    searched: ['$.text'],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
  },
  'guardrail.tripped': {
    tone: 'notice',
    says: (payload, isVerbose) => [
      ...tripParts(payload),
      `correction ${payload.correction}`,
      words(isVerbose, payload.trip.feedback),
    ],
    searched: ofTrip,
    isNotable: true,
  },
  'guardrail.stopped': {
    tone: 'alarm',
    says: (payload, isVerbose) => [
      ...tripParts(payload),
      `after ${payload.corrections} corrections`,
      words(isVerbose, payload.trip.feedback),
    ],
    searched: ofTrip,
    isNotable: true,
    sentence: explained,
  },
  'guardrail.redacted': {
    tone: 'notice',
    says: ({ guardrail, count, kind, place }) => [
      guardrail.id,
      `${count} × ${kind}`,
      `in ${place}`,
    ],
    searched: ['$.guardrail.name', '$.kind'],
    isNotable: true,
  },
  'model.retried': {
    tone: 'notice',
    says: (payload, isVerbose) => [
      causeOf(payload),
      payload.delayMs === 0 ? '' : `again in ${payload.delayMs} ms`,
      words(isVerbose, payload.message),
    ],
    searched: ofAgain,
    isNotable: true,
  },
  'model.replaced': {
    tone: 'notice',
    says: (payload, isVerbose) => [
      `${payload.from} → ${payload.to}`,
      causeOf(payload),
      words(isVerbose, payload.message),
    ],
    searched: ofAgain,
    isNotable: true,
  },
  'call.denied': {
    tone: 'notice',
    says: ({ code, policyId, message }, isVerbose) => [
      code,
      withWord('by', policyId),
      words(isVerbose, message),
    ],
    searched: ofReasons,
    isNotable: true,
  },
  'policy.warned': {
    says: ({ code, policyId, message }, isVerbose) => [
      code,
      withWord('by', policyId),
      words(isVerbose, message),
    ],
    searched: ofReasons,
    isNotable: true,
  },
  'policy.faulted': {
    tone: 'alarm',
    says: ({ policyId, message }, isVerbose) => [
      policyId,
      'could not answer',
      words(isVerbose, message),
    ],
    searched: ['$.message'],
    isNotable: true,
  },
  'approval.requested': {
    tone: 'notice',
    says: ({ approvalId, callId, policyId, expiresAt, reason }, isVerbose) => [
      approvalId || callId,
      withWord('by', policyId),
      withWord('until', timeOf(expiresAt)),
      words(isVerbose, reason),
    ],
    searched: ['$.reason'],
  },
  'approval.reused': {
    tone: 'notice',
    says: ({ callId, scope }) => [callId, `approved before for ${reach(scope)}`],
    searched: [],
    isNotable: true,
  },
  'approval.skipped': {
    tone: 'notice',
    says: ({ callId, policyId, reason }, isVerbose) => [
      callId,
      'nobody is asked in a rerun',
      withWord('by', policyId),
      words(isVerbose, reason),
    ],
    searched: ['$.reason'],
    isNotable: true,
  },
  'approval.expired': {
    tone: 'notice',
    says: ({ approvalId, callId }) => [approvalId || callId, 'nobody answered in time'],
    searched: [],
    isNotable: true,
  },
  'loop.warned': {
    tone: 'notice',
    says: loopParts,
    searched: ['$.text', '$.tools[*]'],
    isNotable: true,
  },
  'loop.stopped': {
    tone: 'alarm',
    says: loopParts,
    searched: ['$.text', '$.tools[*]'],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
  },
  'budget.warned': { tone: 'notice', says: limitParts, searched: [], isNotable: true },
  'budget.exhausted': {
    tone: 'alarm',
    says: limitParts,
    searched: [],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
  },
  'rerun.stopped': {
    says: ({ callId, reason }) => [callId, reason],
    searched: ['$.text'],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
  },
  'input.taken': { says: ({ turn }) => [`turn ${turn}`], searched: [] },
  'input.left': { says: ({ through }) => [`up to event ${through}`], searched: [] },
  'event.ignored': { says: ({ type }) => [type], searched: [] },
}

const tripParts = ({
  trip,
  calls,
}: Pick<DecisionPayload<'guardrail.tripped'>, 'trip' | 'calls'>): Parts => [
  trip.guardrail.id,
  withWord('in', trip.partType),
  takenOut(calls),
]

/** Why a model is asked again, or another one is; a log of an older build names the class alone. */
const causeOf = (payload: {
  readonly class: string
  readonly error?: { readonly message: string } | undefined
}): string => payload.error?.message ?? payload.class

const loops = {
  identical_call_set: 'times the same calls',
  tool_frequency: 'calls of one tool',
  alternating_cycle: 'rounds of the same two sets',
  stagnant_results: 'sets with the same results',
} as const

function loopParts({ layer, count, tools }: DecisionPayload<'loop.warned'>): Parts {
  const names = [...new Set(tools)].slice(0, 8).join(', ')
  return [`${layer}: ${count} ${loops[layer]}`, names === '' ? '' : `(${names})`]
}
