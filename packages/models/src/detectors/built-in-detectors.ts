/**
 * The detectors that come with the product, as tables. Reasons and codes are compared whole, in any letter case and
 * without trimming; evidence says what the provider spelt.
 */
import type { ModelConfig } from '@signalbox/core'
import type { ProviderError } from '../provider-error.ts'
import type { FilterClaim, Detector, Signal } from './detectors.ts'

/** What a built-in detector knows. All words in lower case. */
export interface DetectorTable {
  readonly name: string
  readonly homes: readonly ModelConfig['provider'][]
  readonly finishReasons: readonly string[]
  /** Fields that say by their presence that something was filtered. */
  readonly flags: readonly string[]
  /** Codes and types of errors. */
  readonly codes: readonly string[]
  /** Families of codes: vendors name the place and the kind of a finding in them. */
  readonly codePatterns?: readonly RegExp[]
  /** HTTP statuses that only a filter answers with. */
  readonly statuses?: readonly number[]
  /** Words in the message of an error, where no code tells. What matches is the evidence, so it quotes no content. */
  readonly messages: readonly RegExp[]
}

/** The built-in detectors, in the order in which they are asked. */
export const builtInTables: readonly DetectorTable[] = [
  {
    name: 'openai-compatible',
    homes: ['openai', 'openai-responses', 'openai-compatible', 'scripted'],
    finishReasons: ['content_filter', 'content_filtered', 'violation', 'safety', 'refusal'],
    flags: ['error.metadata'],
    codes: [
      'content_filter',
      'content_policy_violation',
      'image_content_policy_violation',
      'moderation_blocked',
    ],
    // OpenAI names the policy: `cyber_policy_violation`, `bio_policy`, `usage_policy_violation`.
    codePatterns: [/^(\w+_)?(policy_violation|(content|usage|safety|cyber|bio)_policy)$/i],
    messages: [
      /content exists risk/i,
      /SAFETY_CHECK_TYPE_\w{0,64}/i,
      /content violates usage guidelines/i,
      /requires moderation/i,
      /rejected (as a result of our|by the) safety system/i,
      /flagged as potentially violating our usage policy/i,
    ],
  },
  {
    name: 'anthropic',
    homes: ['anthropic'],
    finishReasons: ['refusal'],
    flags: ['stop_details'],
    codes: [],
    messages: [/output blocked by content filtering policy/i],
  },
  {
    name: 'gemini',
    homes: ['google'],
    finishReasons: [
      'safety',
      'blocklist',
      'prohibited_content',
      'spii',
      'recitation',
      'image_safety',
      'image_prohibited_content',
      'image_recitation',
      'model_armor',
      'jailbreak',
    ],
    flags: ['promptFeedback', 'safetyRatings'],
    codes: [],
    // Vertex answers 400 to a prompt that its filters refuse.
    messages: [
      /violat(es|ed|ing) (our|google's|the) ([\w ]{0,40} )?(usage guidelines|use policy|policies)/i,
      /blocked by (the |our |your )?(safety|responsible ai) (filters?|settings|practices)/i,
      /\bresponsible ai practices/i,
    ],
  },
  {
    name: 'glm',
    homes: [],
    finishReasons: ['sensitive'],
    flags: ['contentFilter'],
    codes: ['1301'],
    messages: [],
  },
  {
    name: 'bedrock',
    homes: ['amazon-bedrock'],
    finishReasons: ['guardrail_intervened', 'content_filtered', 'refusal'],
    flags: ['trace'],
    codes: [],
    messages: [
      /blocked by (the |a |your )?guardrail/i,
      /guardrail intervened/i,
      /blocked by our content filters/i,
    ],
  },
  {
    name: 'azure',
    homes: ['azure'],
    finishReasons: ['content_filter'],
    flags: ['prompt_filter_results', 'content_filter_results', 'content_filters'],
    codes: ['content_filter', 'content_policy_violation', 'responsibleaipolicyviolation'],
    messages: [],
  },
  {
    name: 'alibaba',
    homes: [],
    finishReasons: ['content_filter'],
    flags: [],
    codes: ['data_inspection_failed', 'datainspectionfailed'],
    messages: [],
  },
  {
    name: 'volcengine',
    homes: [],
    finishReasons: ['content_filter'],
    flags: [],
    codes: [],
    // InputTextSensitiveContentDetected, SensitiveContentDetected.Violence, OutputTextRiskDetection and their kin.
    codePatterns: [/SensitiveContentDetected(\.\w{1,64})?$/i, /RiskDetection(\.\w{1,64})?$/i],
    messages: [],
  },
  {
    name: 'minimax',
    homes: [],
    finishReasons: ['content_filter'],
    flags: ['base_resp', 'input_sensitive', 'output_sensitive'],
    codes: ['1026', '1027'],
    messages: [],
  },
  {
    name: 'stepfun',
    homes: [],
    finishReasons: ['content_filter'],
    flags: [],
    codes: ['censorship_blocked'],
    statuses: [451],
    messages: [],
  },
  {
    name: 'qianfan',
    homes: [],
    finishReasons: ['content_filter'],
    flags: ['need_clear_history'],
    codes: ['need_clear_history'],
    messages: [],
  },
]

/** The detector of a table. */
export function builtInDetector(table: DetectorTable): Detector {
  const { name, homes, finishReasons, flags } = table
  return {
    name,
    homes,
    claim(signal: Signal): FilterClaim | undefined {
      if (signal.kind === 'field') return undefined
      if (signal.kind === 'error') return claimError(table, signal.error)
      const { kind, field, value } = signal
      const known =
        kind === 'reason'
          ? finishReasons.includes(value.toLowerCase())
          : flags.includes(field.split('.', 1)[0] ?? '')
      return known ? { field, value } : undefined
    },
  }
}

/** The fields of an error that are words of the provider, never its message: a message may quote what was filtered. */
export function errorFields({
  innerCode,
  code,
  type,
  reasons,
}: ProviderError): readonly FilterClaim[] {
  const named = {
    'error.innererror.code': innerCode,
    'error.code': code,
    'error.type': type,
    'error.metadata.reasons': reasons,
  }
  return Object.entries(named).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, value }],
  )
}

function claimError(
  { codes, codePatterns = [], statuses = [], messages, flags }: DetectorTable,
  error: ProviderError,
): FilterClaim | undefined {
  for (const claim of errorFields(error)) {
    if (codes.includes(claim.value.toLowerCase())) return claim
    const isCode = claim.field !== 'error.metadata.reasons'
    if (isCode && codePatterns.some((pattern) => pattern.test(claim.value.slice(0, 200))))
      return claim
    // OpenRouter names the reasons of its moderation, and no code.
    if (claim.field === 'error.metadata.reasons' && flags.includes('error.metadata')) return claim
  }
  if (error.status !== undefined && statuses.includes(error.status))
    return { field: 'error.status', value: String(error.status) }
  const message = error.message.slice(0, messageCharsMax)
  for (const words of messages) {
    const found = words.exec(message)?.[0]
    if (found !== undefined) return { field: 'error.message', value: found }
  }
  return undefined
}

/** The words that tell stand at the beginning of a message; what follows may be a quotation of any length. */
const messageCharsMax = 4096
