/** The safety detectors of an agent, from what its configuration names. */
import type { DetectorConfig } from '@signalbox/core'
import type { SafetyDetector } from '@signalbox/models'
import type { DetectorSetting } from '../agent-schema.ts'
import { isModulePath } from '../references.ts'
import { givenName } from './given.ts'
import type { Modules } from './modules.ts'

/** As an agent pins them; undefined means the built-in ones. */
export const detectorsOf = (
  detectors: readonly DetectorSetting[] | undefined,
): DetectorConfig[] | undefined =>
  detectors?.map((detector) => {
    if (typeof detector === 'string') return { use: detector }
    return isCustom(detector) ? { use: givenName(detector.name) } : detector
  })

const isCustom = (detector: Exclude<DetectorSetting, string>): detector is SafetyDetector =>
  'detect' in detector

/** Detectors of the user's own by the word that `use` says, as they were found: nobody has looked at their shape. */
export async function loadDetectors(
  detectors: readonly DetectorSetting[],
  field: string,
  modules: Modules,
): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {}
  for (const [n, detector] of detectors.entries()) {
    if (typeof detector === 'object' && isCustom(detector)) {
      found[givenName(detector.name)] = detector
      continue
    }
    const use = typeof detector === 'string' ? detector : detector.use
    if (isModulePath(use)) found[use] = await modules.load(use, `${field}[${n}]`)
  }
  return found
}
