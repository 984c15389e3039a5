import type { DetectorConfig } from '@signalbox/core'
import { builtInDetectors } from './detectors.ts'
import { isGoodReasonAnywhere } from './wires.ts'

/**
 * Checks `safety.detectors` of a configuration. Null if it is good, else a sentence for whoever wrote it. An empty
 * list is refused because it looks like "off": labels would be lost while the stops would still block every call.
 */
export function validateDetectors(configs: readonly DetectorConfig[] | undefined): string | null {
  if (configs === undefined) return null
  if (configs.length === 0)
    return 'safety.detectors is empty. Leave it out for the built-in detectors, or name at least one.'
  for (const config of configs) {
    const problem = problemOf(config)
    if (problem) return problem
  }
  return null
}

function problemOf({ use, finishReasons }: DetectorConfig): string | null {
  const known = builtInDetectors.map(({ name }) => name)
  if (!known.includes(use))
    return `safety.detectors: there is no detector "${use}". Known: ${known.join(', ')}.`
  if (finishReasons === undefined) return null
  if (finishReasons.length === 0)
    return `safety.detectors: finishReasons of "${use}" is empty. Leave it out for the built-in reasons.`
  if (finishReasons.some((reason) => reason.trim() === ''))
    return `safety.detectors: finishReasons of "${use}" holds an empty text.`
  const good = finishReasons.find(isGoodReasonAnywhere)
  return good === undefined
    ? null
    : `safety.detectors: "${good}" in finishReasons of "${use}" is how a good answer ends.`
}
