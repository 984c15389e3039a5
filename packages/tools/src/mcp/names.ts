/**
 * Names of MCP tools as the model sees them: `mcp__<server>__<tool>`, `[a-zA-Z0-9_-]{1,64}`.
 *
 * A name depends on its server and tool alone, never on what other servers offer, so that a selector, a stored
 * definition and a worker in another process agree. What must be changed or cut gets a hash of the original.
 */
import { createHash } from 'node:crypto'

const nameCharsMax = 64
const serverCharsMax = 24

/** What the names of all tools of a server begin with. */
export function serverPrefix(server: string): string {
  // Without a double underscore inside, no server's prefix is the beginning of another's.
  const clean = /^[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/.test(server)
  const part = clean && server.length <= serverCharsMax ? server : hashed(server, serverCharsMax)
  return `mcp__${part}__`
}

/** The name of each tool of a server. Two tools never share one; a tool that is listed twice counts once. */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = serverPrefix(server)
  const room = nameCharsMax - prefix.length
  const names = new Map<string, string>()
  for (const tool of new Set(tools)) {
    const clean = /^[a-zA-Z0-9_-]+$/.test(tool) && tool.length <= room
    const name = prefix + (clean ? tool : hashed(tool, room))
    // A server could name a tool like the hashed name of another one; the first keeps it.
    if (!names.has(name)) names.set(name, tool)
  }
  return names
}

function hashed(original: string, charsMax: number): string {
  const hash = createHash('sha256').update(original).digest('hex').slice(0, 8)
  const head = original.replaceAll(/[^a-zA-Z0-9-]+/g, '_').slice(0, charsMax - 9)
  return `${head.replaceAll(/^_+|_+$/g, '')}-${hash}`
}
