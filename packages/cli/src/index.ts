export {
  type Config,
  type ConfigInput,
  defineConfig,
  defineDetector,
  defineGuardrail,
  type DefinedPolicy,
  definePolicy,
  type PolicyModule,
  type PolicyModuleContext,
} from '@signalbox/server'
export type { PolicyRequest } from '@signalbox/core'
export {
  fail,
  type Guardrail,
  type GuardrailContext,
  type GuardrailResult,
  pass,
  stop,
} from '@signalbox/policies'
export type { StreamPart } from '@signalbox/engine'
export {
  defineTool,
  type DefinedTool,
  type ToolContext,
  type ToolDefinition,
} from '@signalbox/tools'
export type { DetectorEvidence, SafetyDetector } from '@signalbox/models'
export type { Script, ScriptedCall, ScriptedEnding, ScriptedTurn } from '@signalbox/models'
// The schemas of tools must come from the zod that reads them.
export { z } from 'zod'
