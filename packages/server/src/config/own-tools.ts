/**
 * Tools that a key of an agent gives it, and no selector: their calls settle in the decision, or the engine performs them. The only place that lists
 * them.
 */
import { searchMemoryTool, todoTool, type ToolSpec } from '@signalbox/core'
import type { AgentConfig } from './agent-schema.ts'

export const ownTools = ({
  todo,
  memory,
}: Pick<AgentConfig, 'todo' | 'memory'>): readonly ToolSpec[] => [
  ...(todo ? [todoTool] : []),
  ...(memory?.mode === 'tool' ? [searchMemoryTool('tools')] : []),
]
