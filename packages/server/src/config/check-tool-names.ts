/** Names of tools: one tool each, and none that something else has. */
import {
  loadSkillToolName,
  memoryToolNames,
  questionToolName,
  searchMemoryName,
  todoToolName,
} from '@signalbox/core'
import { readResultTool } from '@signalbox/engine'
import { type DefinedTool, workspaceToolNames } from '@signalbox/tools'
import { fail } from './fail.ts'

const builtIn = new Set([
  readResultTool,
  loadSkillToolName,
  todoToolName,
  questionToolName,
  searchMemoryName,
  ...memoryToolNames,
  ...workspaceToolNames,
])

/** @throws ConfigError that names both tools */
export function checkToolNames(tools: readonly DefinedTool[]): void {
  const seen = new Map<string, number>()
  tools.forEach(({ spec: { name } }, index) => {
    const refuse = (why: string): never => fail('config_invalid', `tools[${index}]`, why)
    const first = seen.get(name)
    if (first !== undefined)
      refuse(`there is a tool of the name "${name}" already, tools[${first}]; rename either`)
    seen.set(name, index)
    if (builtIn.has(name)) refuse(`"${name}" is the name of a built-in tool; give this one another`)
    if (name.startsWith('mcp__'))
      refuse(`"${name}" begins with mcp__, as the tools of MCP servers do; give it another name`)
  })
}
