/** MCP tools as `ToolSpec`s. What a server says about itself is checked, bounded, and believed only where trusted. */
import type { Tool } from '@modelcontextprotocol/client'
import { JsonObjectSchema, ToolSpec, type EffectMode, type JsonObject } from '@signalbox/core'
import { sanitise } from '../sanitise.ts'
import { boundedMessage } from '../text.ts'
import { toolVersion } from '../version.ts'
import { argumentCheck, type ArgumentCheck } from './arguments.ts'
import type { McpServerConfig } from './config.ts'
import { toolNames } from './names.ts'

const toolsMax = 512
const schemaBytesMax = 64 * 1024
const descriptionBytesMax = 8 * 1024

/** A tool of a server: what the agent sees, and what the server calls it. */
export interface McpTool {
  readonly spec: ToolSpec
  readonly remote: Tool
  readonly check: ArgumentCheck
}

/** The usable tools of a server by name, sorted, and the names of those that had to be left out. */
export function mcpTools(
  server: string,
  config: McpServerConfig,
  tools: readonly Tool[],
): { readonly tools: ReadonlyMap<string, McpTool>; readonly refused: readonly string[] } {
  const byRemote = new Map(tools.map((tool) => [tool.name, tool]))
  const names = toolNames(server, [...byRemote.keys()].sort())
  const usable = new Map<string, McpTool>()
  const refused: string[] = []
  for (const [name, remoteName] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const remote = byRemote.get(remoteName)
    const tool = remote && usable.size < toolsMax ? mcpTool(name, config, remote) : null
    if (tool === null) refused.push(remoteName)
    else usable.set(name, tool)
  }
  return { tools: usable, refused }
}

function mcpTool(name: string, config: McpServerConfig, remote: Tool): McpTool | null {
  const inputSchema = schemaOf(remote)
  if (inputSchema === null) return null
  const effect = effectOf(remote, config.trustHints)
  const own = Object.hasOwn(config.tools, remote.name) ? config.tools[remote.name] : undefined
  const text = remote.description ?? remote.title ?? remote.name
  const parsed = ToolSpec.safeParse({
    name,
    version: toolVersion({ name, inputSchema, effect }),
    description: boundedMessage(text, descriptionBytesMax),
    inputSchema,
    effect,
    queue: config.queue,
    timeoutMs: config.timeoutMs,
    ...(own?.judged && { judged: own.judged }),
  })
  if (!parsed.success) return null
  // What the server says of its results is not compared: they are what they are.
  const { outputSchema: _, ...asked } = remote
  return { spec: parsed.data, remote: asked, check: argumentCheck(inputSchema) }
}

/** Null: too large, or deeper than any JSON that may enter. */
function schemaOf(remote: Tool): JsonObject | null {
  const clean = sanitise(remote.inputSchema, schemaBytesMax)
  if (clean.dropped > 0 || clean.more) return null
  const parsed = JsonObjectSchema.safeParse(clean.value)
  return parsed.success ? parsed.data : null
}

function effectOf(remote: Tool, trustHints: boolean): EffectMode {
  if (!trustHints) return 'once'
  if (remote.annotations?.readOnlyHint === true) return 'read'
  return remote.annotations?.idempotentHint === true ? 'idempotent' : 'once'
}
