/** Which capability of a passport a tool needs. A tool that nobody mapped has none, and its calls are denied. */

/** In place of a capability: the passport has no say about this tool. */
export const exempt = 'exempt'

const builtIn: ReadonlyMap<string, string> = new Map([
  ['bash', 'system.command.execute'],
  ['read_file', 'data.file.read'],
  ['ls', 'data.file.read'],
  ['view_image', 'data.file.read'],
  ['present_files', 'data.file.read'],
  ['present_file', 'data.file.read'],
  ['write_file', 'data.file.write'],
  ['str_replace', 'data.file.write'],
  ['web_search', 'web.fetch'],
  ['image_search', 'web.fetch'],
  ['web_fetch', 'web.fetch'],
  ['task', 'agent.session.create'],
  ['ask_clarification', exempt],
  // Reads on in a result of the same thread, which the model has been given already.
  ['read_result', exempt],
  // Reads instructions that the configuration gives to the agent.
  ['load_skill', exempt],
  // Words of the model about itself: nothing is executed for them.
  ['write_todos', exempt],
  // Of the memory of whom the run works for, which nobody else is shown.
  ['search_memory', exempt],
  ['remember', exempt],
  ['revise', exempt],
  ['forget', exempt],
])

/**
 * The capability a tool needs: a capability id, `exempt`, or null if nobody mapped the tool. Exact names; an override
 * wins over the built-in map, and over the name of an MCP tool.
 */
export function capabilityOf(
  overrides: { readonly [tool: string]: string },
  tool: string,
): string | null {
  if (Object.hasOwn(overrides, tool)) return overrides[tool] ?? null
  return builtIn.get(tool) ?? (mcpNameOf(tool) === null ? null : 'mcp.tool.execute')
}

/** The server and the tool in `mcp__<server>__<tool>`; null for every other name. No server has `__` in its name. */
export function mcpNameOf(name: string): { readonly server: string; readonly tool: string } | null {
  if (!name.startsWith('mcp__')) return null
  const end = name.indexOf('__', 'mcp__'.length + 1)
  const tool = name.slice(end + 2)
  return end < 0 || tool === '' ? null : { server: name.slice('mcp__'.length, end), tool }
}
