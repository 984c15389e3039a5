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
export {
  fail,
  type Guardrail,
  type GuardrailContext,
  type GuardrailResult,
  pass,
  type PolicyRequest,
  stop,
  type StreamPart,
} from '@signalbox/core'
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
