/** Detectors that a configuration brings along. Like the built-in ones, they choose a label and nothing else. */
import { type ModelConfig, unawaited } from '@signalbox/core'
import { fields } from '../read.ts'
import { errorFields } from './built-in-detectors.ts'
import type { FilterClaim, Detector, Signal } from './detectors.ts'

/**
 * One field that a provider sent: a finish reason, a filter's flag, a code of an error, or any other flag, number or short word of
 * a chunk. Never what the model says, never arguments.
 */
export interface DetectorEvidence {
  readonly provider: ModelConfig['provider']
  /**
   * `reason` may end the stream, `flag` says by its presence that something was filtered, `error` is of an error, `field` is
   * any field of a chunk: each with each of its values once in a stream, the others among them.
   */
  readonly kind: 'reason' | 'flag' | 'error' | 'field'
  /** As the wire names it, such as `finish_reason`, `promptFeedback.blockReason` or `error.code`. */
  readonly field: string
  /** As the provider spelt it. */
  readonly value: string
}

/**
 * A detector of one's own. True says that the field tells of a safety stop: the turn gets the verdict `safety`, with the
 * field as its evidence, and none of its calls is executed. Synchronous, and a function of the evidence alone.
 */
export interface SafetyDetector {
  readonly name: string
  detect(evidence: DetectorEvidence): boolean
}

/** A detector that threw, or that answered neither true nor false: nothing of the stream is executed. */
export interface DetectorFault {
  readonly detector: string
  readonly field: string
  readonly message: string
}

/** Is the value an object with a name and a function `detect`? */
export function isSafetyDetector(value: unknown): value is SafetyDetector {
  const detector = fields(value)
  return (
    typeof detector?.['name'] === 'string' &&
    detector['name'].trim() !== '' &&
    typeof detector['detect'] === 'function'
  )
}

/** The detector for one stream. Its first fault is told, later ones are not: there may be one per chunk. */
export function customDetector(
  detector: SafetyDetector,
  provider: ModelConfig['provider'],
  onFault: (fault: DetectorFault) => void,
): Detector {
  let faulty = false
  const fault = (field: string, message: string): false => {
    if (!faulty) onFault({ detector: detector.name, field, message })
    faulty = true
    return false
  }
  const detects = (kind: Signal['kind'], { field, value }: FilterClaim): boolean => {
    try {
      const answer: unknown = detector.detect({ provider, kind, field, value })
      unawaited(answer)
      return typeof answer === 'boolean' ? answer : fault(field, 'detect answered no boolean')
    } catch (error) {
      return fault(field, wordsOf(error))
    }
  }
  return {
    name: detector.name,
    homes: [],
    readsFields: true,
    hasFailed: () => faulty,
    claim(signal) {
      const seen = signal.kind === 'error' ? errorFields(signal.error) : [signal]
      return seen
        .map(({ field, value }) => ({ field, value }))
        .find((claim) => detects(signal.kind, claim))
    },
  }
}

/** Somebody may throw what cannot be said in words. */
function wordsOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'detect threw something unreadable'
  }
}
