import type { DetectorConfig } from '@signalbox/core'
import { builtInTables } from '../detectors/built-in-detectors.ts'
import { isSafetyDetector } from '../detectors/custom-detectors.ts'
import { isGoodReasonAnywhere } from './wires.ts'

/**
 * Checks `safety.detectors` of a configuration. Null if it is good, else a sentence for whoever wrote it. An empty
 * list is refused because it looks like "off": labels would be lost while the stops would still block every call.
 * `custom` holds what the configuration brings along, by the word that `use` says, as it was found: nothing about its
 * shape is believed.
 */
export function validateDetectors(
  configs: readonly DetectorConfig[] | undefined,
  custom: Readonly<Record<string, unknown>> = {},
): string | null {
  if (configs === undefined) return null
  if (configs.length === 0)
    return 'safety.detectors is empty. Leave it out for the built-in detectors, or name at least one.'
  const names = new Set<string>()
  for (const config of configs) {
    const found = Object.hasOwn(custom, config.use) ? custom[config.use] : undefined
    const problem =
      found === undefined ? builtInProblem(config, custom) : customProblem(config, found)
    if (problem) return problem
    const name = isSafetyDetector(found) ? found.name : config.use
    if (names.has(name)) return `safety.detectors: "${name}" is there twice.`
    names.add(name)
  }
  return null
}

function customProblem({ use, finishReasons }: DetectorConfig, found: unknown): string | null {
  if (!isSafetyDetector(found))
    return `safety.detectors: "${use}" must be an object with a name and a function detect.`
  if (isBuiltIn(found.name) || isBuiltIn(use))
    return `safety.detectors: "${use}" has the name of a built-in detector.`
  return finishReasons === undefined
    ? null
    : `safety.detectors: finishReasons of "${use}" would be ignored: only built-in detectors have a list.`
}

function builtInProblem(
  { use, finishReasons }: DetectorConfig,
  custom: Readonly<Record<string, unknown>>,
): string | null {
  if (!isBuiltIn(use)) {
    const known = [...builtInTables.map(({ name }) => name), ...Object.keys(custom)]
    return `safety.detectors: there is no detector "${use}". Known: ${known.join(', ')}.`
  }
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

function isBuiltIn(name: string): boolean {
  return builtInTables.some((table) => table.name === name)
}
