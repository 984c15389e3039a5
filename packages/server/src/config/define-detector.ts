import { isSafetyDetector, type SafetyDetector } from '@signalbox/models'

/**
 * Defines a safety detector: name it in `safety.detectors` of an agent, as it is or as `./file.ts#export`. Throws when the
 * definition itself is wrong.
 */
export function defineDetector(detector: SafetyDetector): SafetyDetector {
  if (isSafetyDetector(detector)) return detector
  throw new TypeError('A detector has a name and a function detect(evidence).')
}
