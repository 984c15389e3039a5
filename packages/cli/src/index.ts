export { type Config, type ConfigInput, defineConfig } from '@signalbox/server'
export {
  defineTool,
  type DefinedTool,
  type ToolContext,
  type ToolDefinition,
} from '@signalbox/tools'
export type { Script, ScriptedCall, ScriptedEnding, ScriptedTurn } from '@signalbox/models'
// The schemas of tools must come from the zod that reads them.
export { z } from 'zod'
