/**
 * Safety detectors: who recognises which stop as the provider's filter. They choose the label and nothing else: what
 * may execute is decided by the positive list of the wire (`wires.ts`), so an incomplete table is never unsafe.
 */
import type { DetectorConfig, ModelConfig, SafetyEvidence } from '@signalbox/core'
import type { ProviderError } from '../errors/provider-error.ts'

/** A mark of a filter in an error: an exact code (lower case), or words of the message. */
interface ErrorMarks {
  readonly codes: readonly string[]
  readonly message?: RegExp
}

/** A detector as it works on one stream. */
export interface Detector {
  readonly name: string
  /** Providers whose signals are this detector's own: it is asked before the others there. */
  readonly homes: readonly ModelConfig['provider'][]
  /** Lower case. Compared exactly, in any letter case. */
  readonly finishReasons: readonly string[]
  /** Fields that say by their presence that something was filtered. */
  readonly flags: readonly string[]
  readonly errors: ErrorMarks
}

/** The built-in detectors, in the order in which they are asked. */
export const builtInDetectors: readonly Detector[] = [
  {
    name: 'openai-compatible',
    homes: ['openai', 'openai-responses', 'openai-compatible', 'scripted'],
    finishReasons: ['content_filter', 'content_filtered', 'violation', 'safety', 'refusal'],
    flags: [],
    errors: {
      codes: ['content_filter', 'content_policy_violation'],
      message:
        /content exists risk|SAFETY_CHECK_TYPE_|requires moderation|rejected as a result of our safety system/i,
    },
  },
  {
    name: 'anthropic',
    homes: ['anthropic'],
    finishReasons: ['refusal'],
    flags: ['stop_details'],
    errors: { codes: [], message: /output blocked by content filtering policy/i },
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
    errors: { codes: [] },
  },
  {
    name: 'glm',
    homes: [],
    finishReasons: ['sensitive'],
    flags: ['contentFilter'],
    errors: { codes: ['1301'] },
  },
  {
    name: 'bedrock',
    homes: ['amazon-bedrock'],
    finishReasons: ['guardrail_intervened', 'content_filtered', 'refusal'],
    flags: ['trace'],
    errors: { codes: [], message: /blocked by (the |a |your )?guardrail|guardrail intervened/i },
  },
  {
    name: 'azure',
    homes: ['azure'],
    finishReasons: ['content_filter'],
    flags: ['prompt_filter_results', 'content_filter_results', 'content_filters'],
    errors: {
      codes: ['content_filter', 'content_policy_violation', 'responsibleaipolicyviolation'],
    },
  },
  {
    name: 'alibaba',
    homes: [],
    finishReasons: ['content_filter'],
    flags: [],
    errors: { codes: ['data_inspection_failed', 'datainspectionfailed'] },
  },
]

/** What a stream or an error showed. */
export type Signal =
  | { readonly kind: 'reason'; readonly field: string; readonly value: string }
  | { readonly kind: 'flag'; readonly field: string; readonly value: string }
  | { readonly kind: 'error'; readonly error: ProviderError }

/** The detectors of a configuration: the built-ins, or exactly the configured ones. Unknown names label nothing. */
export function resolveDetectors(
  configs: readonly DetectorConfig[] | undefined,
): readonly Detector[] {
  if (configs === undefined) return builtInDetectors
  return configs.flatMap((config) => {
    const detector = builtInDetectors.find(({ name }) => name === config.use)
    if (!detector) return []
    const finishReasons = config.finishReasons?.map((reason) => reason.toLowerCase())
    return [finishReasons ? { ...detector, finishReasons } : detector]
  })
}

/** The evidence of a signal by the first detector that claims it, those at home at the provider first. */
export function label(
  detectors: readonly Detector[],
  provider: ModelConfig['provider'],
  signal: Signal,
): SafetyEvidence | undefined {
  const home = detectors.filter(({ homes }) => homes.includes(provider))
  for (const detector of [...home, ...detectors]) {
    const found = claim(detector, signal)
    if (found) return { detector: detector.name, ...found }
  }
  return undefined
}

/** Does any built-in detector know the error as a filter's? */
export function isSafetyError(error: ProviderError): boolean {
  return builtInDetectors.some((detector) => claim(detector, { kind: 'error', error }))
}

/** Does any built-in detector know the reason as a filter's? */
export function isSafetyReason(value: string): boolean {
  return builtInDetectors.some(({ finishReasons }) => finishReasons.includes(value.toLowerCase()))
}

function claim(
  detector: Detector,
  signal: Signal,
): { readonly field: string; readonly value: string } | undefined {
  if (signal.kind === 'reason') {
    const { field, value } = signal
    return detector.finishReasons.includes(value.toLowerCase()) ? { field, value } : undefined
  }
  if (signal.kind === 'flag') {
    const { field, value } = signal
    return detector.flags.includes(field.split('.', 1)[0] ?? '') ? { field, value } : undefined
  }
  return claimError(detector.errors, signal.error)
}

/** Evidence names the code, or the words that were recognised: a message could quote what was filtered. */
function claimError(marks: ErrorMarks, error: ProviderError) {
  const named = {
    'error.innererror.code': error.innerCode,
    'error.code': error.code,
    'error.type': error.type,
  }
  for (const [field, value] of Object.entries(named))
    if (value !== undefined && marks.codes.includes(value.toLowerCase())) return { field, value }
  const words = marks.message?.exec(error.message)?.[0]
  return words === undefined ? undefined : { field: 'error.message', value: words }
}
