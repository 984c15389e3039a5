/**
 * Tools that a key of an agent gives it, and no selector: their calls settle in the decision, or the engine performs them. The only place that lists
 * them.
 */
import { questionTool, searchMemoryTool, todoTool, type ToolSpec } from '@signalbox/core'
import type { AgentConfig } from './agent-schema.ts'

export const ownTools = ({
  todo,
  clarification,
  memory,
}: Pick<AgentConfig, 'todo' | 'clarification' | 'memory'>): readonly ToolSpec[] => [
  ...(todo ? [todoTool] : []),
  ...(clarification ? [questionTool] : []),
  ...(memory?.mode === 'tool' ? [searchMemoryTool('tools')] : []),
]
