import { listedWindow } from '@signalbox/models'
import type { AgentConfig } from './agent-schema.ts'

type Models = Pick<AgentConfig, 'model' | 'fallbackModels'>

/**
 * The models of an agent with their windows, where it looks after its context: as they are configured, else by the table of the models
 * package. Any other agent keeps its models as they are written, and with them the digest of its definition (C3).
 */
export function windowsOf({
  model,
  fallbackModels,
  context,
}: Models & { readonly context?: unknown }): Models {
  if (context === undefined || context === null || context === false)
    return { model, fallbackModels }
  return { model: withWindow(model), fallbackModels: fallbackModels.map(withWindow) }
}

function withWindow(model: AgentConfig['model']): AgentConfig['model'] {
  const contextWindow = listedWindow(model)
  return contextWindow === undefined ? model : { ...model, contextWindow }
}
