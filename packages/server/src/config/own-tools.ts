/** Tools that a key of an agent gives it: no worker has them, since their calls settle in the decision. The only place that lists them. */
import { questionTool, todoTool, type ToolSpec } from '@signalbox/core'
import type { AgentConfig } from './agent-schema.ts'

export const ownTools = ({
  todo,
  clarification,
}: Pick<AgentConfig, 'todo' | 'clarification'>): readonly ToolSpec[] => [
  ...(todo ? [todoTool] : []),
  ...(clarification ? [questionTool] : []),
]
