export { createModels } from './create-models.ts'
export type { ModelsOptions } from './models-options.ts'
export {
  type DetectorEvidence,
  isSafetyDetector,
  type SafetyDetector,
} from './detectors/custom-detectors.ts'
export { validateDetectors } from './observer/validate-detectors.ts'
export type { Environment } from './providers/wiring.ts'
export {
  type Script,
  type ScriptedCall,
  type ScriptedEnding,
  type ScriptedTurn,
  type Scripts,
  turnIndexOf,
} from './scripted/script.ts'
export { type ScriptServer, serveScripts } from './scripted/serve-scripts.ts'
export { schemaProblem } from './turn/tool-schema.ts'
export { listedWindow } from './windows.ts'
