/** Tools that a key of an agent gives it: no worker has them, since their calls settle in the decision. The only place that lists them. */
import { todoTool, type ToolSpec } from '@signalbox/core'
import type { AgentConfig } from './agent-schema.ts'

export const ownTools = ({ todo }: Pick<AgentConfig, 'todo'>): readonly ToolSpec[] =>
  todo ? [todoTool] : []
