/** The entries of decisions about an answer of the model: safety, stream guardrails, cuts, retries. */
import type { DecisionPayload } from '../decision.ts'
import {
  type DecisionEntries,
  type LineParts,
  spoken,
  takenOut,
  withWord,
  words,
} from '../entry.ts'
import { answerId, exampleCall, stumble, suppressed } from './example-parts.ts'

const ofTrip = ['$.trip.guardrail.name', '$.trip ? (@.partType != "error").feedback']
/** The words of a model that was asked again are a provider's, but for an answer that said nothing. */
const ofAgain = ['$.class', '$ ? (@.class == "empty_answer").message']

const explained = ({
  messageId,
  explanation,
}: DecisionPayload<'safety.suppressed' | 'turn.cut' | 'guardrail.stopped'>) => ({
  messageId,
  text: explanation,
})

/** Entries by type. */
export const answerEntries = {
  'safety.suppressed': {
    tone: 'notice',
    says: ({ calls, evidence }, isVerbose) => [
      words(isVerbose, evidence.map(({ field, value }) => `${field} = ${value}`).join(', ')),
      takenOut(calls),
    ],
    searched: ['$.explanation', '$.evidence[*].value', '$.calls[*].name'],
    isNotable: true,
    sentence: explained,
    place: 'verdict',
    heard: ({ context }) => ({ as: 'refusal', context }),
    endsAs: 'safety_stopped',
    isObjection: true,
    example: {
      turn: 1,
      messageId: answerId,
      evidence: [
        {
          detector: 'openai-compatible',
          field: 'finish_reason',
          value: 'content_filter',
        },
      ],
      calls: suppressed,
      explanation:
        '[The provider stopped this answer for safety (finish_reason=content_filter, openai-compatible). ' +
        '1 tool call was not executed, because the arguments may be cut off.]',
    },
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
    place: 'verdict',
    heard: ({ context }) => ({ as: 'refusal', context }),
    isObjection: true,
    example: {
      turn: 1,
      messageId: answerId,
      verdict: 'length',
      calls: suppressed,
      explanation:
        '[The answer reached its length limit. 1 tool call was not executed, because the arguments may be cut off.]',
    },
  },
  'turn.continued': {
    tone: 'notice',
    says: ({ turn }) => [`after turn ${turn} reached its length`],
    searched: [],
    place: 'verdict',
    heard: ({ messageId, text }) => ({ as: 'continuation', messageId, text }),
    example: {
      turn: 1,
      messageId: answerId,
      text: 'Your answer was cut off at its length limit. Go on exactly where it ended.',
    },
  },
  'answer.missing': {
    tone: 'alarm',
    says: ({ turn }) => [`turn ${turn} said nothing, twice`],
    searched: ['$.text'],
    isNotable: true,
    sentence: ({ messageId, text }) => ({ messageId, text }),
    place: 'verdict',
    heard: spoken,
    example: { turn: 2, messageId: answerId, text: '[The model gave no answer.]' },
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
    place: 'verdict',
    heard: ({ messageId, trip }) => ({ as: 'correction', messageId, text: trip.feedback }),
    example: { turn: 1, correction: 1, messageId: answerId, trip: stumble, calls: [] },
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
    place: 'verdict',
    heard: (payload) => spoken(explained(payload)),
    endsAs: 'guardrail_stopped',
    isObjection: true,
    example: {
      turn: 1,
      corrections: 3,
      messageId: answerId,
      trip: stumble,
      calls: [],
      explanation: '[A guardrail (Banned terms) stopped this answer.]',
    },
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
    place: 'verdict',
    example: {
      turn: 1,
      guardrail: { id: 'secrets', name: 'Secrets' },
      kind: 'github-token',
      place: 'arguments',
      callId: exampleCall,
      tool: 'write_file',
      count: 1,
    },
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
    place: 'verdict',
    heard: (payload) =>
      payload.class === 'empty_answer' ? { as: 'reminder', text: payload.message } : null,
    example: {
      turn: 1,
      retry: 1,
      class: 'rate_limit',
      message: 'Too many requests.',
      delayMs: 1000,
      error: {
        class: 'rate_limit',
        status: 429,
        provider: 'openai',
        model: 'gpt-5',
        keyEnv: 'OPENAI_API_KEY',
        message: 'rate_limit: 429 from openai (OPENAI_API_KEY): too many requests, try again later',
      },
    },
  },
  'model.replaced': {
    tone: 'notice',
    says: (payload, isVerbose) => [
      `${payload.from} → ${payload.to}`,
      causeOf(payload),
      withWord('not shown:', countOf(payload.images)),
      words(isVerbose, payload.message),
    ],
    searched: ofAgain,
    isNotable: true,
    place: 'verdict',
    example: {
      turn: 1,
      from: 'claude-sonnet-4-5',
      to: 'gpt-5',
      class: 'overloaded',
      message: 'Overloaded',
    },
  },
} satisfies Partial<DecisionEntries>

const countOf = (images: number | undefined): string | undefined =>
  images === undefined ? undefined : `${images} ${images === 1 ? 'image' : 'images'}`

const tripParts = ({
  trip,
  calls,
}: Pick<DecisionPayload<'guardrail.tripped'>, 'trip' | 'calls'>): LineParts => [
  trip.guardrail.id,
  withWord('in', trip.partType),
  takenOut(calls),
]

/** Why a model is asked again, or another one is; a log of an older build names the class alone. */
const causeOf = (payload: {
  readonly class: string
  readonly error?: { readonly message: string } | undefined
}): string => payload.error?.message ?? payload.class
