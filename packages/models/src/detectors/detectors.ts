/**
 * Safety detectors: who recognises which stop as the provider's filter. They choose the label and nothing else: what
 * may execute is decided by the positive list of the wire (`wires.ts`), so an incomplete table is never unsafe.
 */
import type { DetectorConfig, ModelConfig, SafetyEvidence } from '@signalbox/core'
import type { ProviderError } from '../provider-error.ts'
import { builtInDetector, builtInTables } from './built-in-detectors.ts'
import { customDetector, type DetectorFault, type SafetyDetector } from './custom-detectors.ts'

/** What a stream or an error showed. */
export type Signal =
  | { readonly kind: 'reason'; readonly field: string; readonly value: string }
  | { readonly kind: 'flag'; readonly field: string; readonly value: string }
  | { readonly kind: 'field'; readonly field: string; readonly value: string }
  | { readonly kind: 'error'; readonly error: ProviderError }

/** A field in which a detector recognised a filter, as the provider spelt it. */
export interface FilterClaim {
  readonly field: string
  readonly value: string
}

/** A detector as it works on one stream. */
export interface Detector {
  readonly name: string
  /** Providers whose signals are this detector's own: it is asked before the others there. */
  readonly homes: readonly ModelConfig['provider'][]
  /** Is it shown every field of every chunk? */
  readonly readsFields?: boolean
  claim(signal: Signal): FilterClaim | undefined
  /** Did it fail on this stream? Then nobody knows what it would have said, and the stream is not positive. */
  hasFailed?(): boolean
}

/** What a configuration's detectors are found among, and who hears of one that throws. */
export interface DetectorSetup {
  readonly provider: ModelConfig['provider']
  /** By the word that `use` says. */
  readonly custom: Readonly<Record<string, SafetyDetector>>
  readonly onFault: (fault: DetectorFault) => void
}

/** The built-in detectors, in the order in which they are asked. */
export const builtInDetectors: readonly Detector[] = builtInTables.map(builtInDetector)

/**
 * The detectors of a configuration: the built-ins, or exactly the configured ones, which are asked in their own order.
 * Unknown names label nothing: `validateDetectors` refuses them where a configuration is read.
 */
export function resolveDetectors(
  configs: readonly DetectorConfig[] | undefined,
  setup: DetectorSetup,
): readonly Detector[] {
  if (configs === undefined) return builtInDetectors
  return configs.flatMap(({ use, finishReasons }) => {
    const custom = Object.hasOwn(setup.custom, use) ? setup.custom[use] : undefined
    if (custom) return [customDetector(custom, setup.provider, setup.onFault)]
    const table = builtInTables.find(({ name }) => name === use)
    if (!table) return []
    const reasons = finishReasons?.map((reason) => reason.toLowerCase())
    return [
      builtInDetector({ ...table, homes: [], ...(reasons ? { finishReasons: reasons } : {}) }),
    ]
  })
}

/** The evidence of a signal by the first detector that claims it, those at home at the provider first. */
export function label(
  detectors: readonly Detector[],
  provider: ModelConfig['provider'],
  signal: Signal,
): SafetyEvidence | undefined {
  const home = detectors.filter(({ homes }) => homes.includes(provider))
  const others = detectors.filter(({ homes }) => !homes.includes(provider))
  for (const detector of [...home, ...others]) {
    const found = detector.claim(signal)
    if (found) return { detector: detector.name, ...found }
  }
  return undefined
}

/** Does any built-in detector know the error as a filter's? */
export function isSafetyError(error: ProviderError): boolean {
  return builtInDetectors.some((detector) => detector.claim({ kind: 'error', error }))
}

/** Does any built-in detector know the reason as a filter's? */
export function isSafetyReason(value: string): boolean {
  return builtInTables.some(({ finishReasons }) => finishReasons.includes(value.toLowerCase()))
}
