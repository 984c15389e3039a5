import type { ToolSpec } from '@signalbox/core'
import { serverPrefix } from './mcp/names.ts'
import { nearest } from './nearest.ts'
import { workspaceToolNames } from './workspace/tools.ts'

/** The tools an agent gets, or which selector means nothing and what was probably meant. */
export type Selection =
  | { readonly ok: true; readonly specs: readonly ToolSpec[] }
  | {
      readonly ok: false
      readonly selector: string
      readonly message: string
      readonly nearest?: string
    }

/**
 * Resolves the `tools` of an agent's configuration: `workspace` (the file tools), `mcp:<server>` (all tools of that
 * server), or the name of a tool. Sorted by name, without duplicates.
 */
export function selectTools(specs: readonly ToolSpec[], selectors: readonly string[]): Selection {
  const chosen = new Map<string, ToolSpec>()
  for (const selector of selectors) {
    const found = specs.filter((spec) => matches(selector, spec.name))
    if (found.length === 0) return unknownSelector(selector, specs)
    for (const spec of found) chosen.set(spec.name, spec)
  }
  const sorted = [...chosen.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { ok: true, specs: sorted }
}

function matches(selector: string, name: string): boolean {
  if (selector === 'workspace') return workspaceToolNames.includes(name)
  if (selector.startsWith('mcp:')) return name.startsWith(serverPrefix(selector.slice(4)))
  return name === selector
}

function unknownSelector(selector: string, specs: readonly ToolSpec[]): Selection {
  const known = new Set<string>()
  for (const spec of specs) {
    known.add(spec.name)
    if (workspaceToolNames.includes(spec.name)) known.add('workspace')
    const server = /^mcp__(.+?)__/.exec(spec.name)?.[1]
    if (server !== undefined) known.add(`mcp:${server}`)
  }
  const near = nearest(selector, known)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  const message = `${reason(selector)}${hint}`
  return { ok: false, selector, message, ...(near === undefined ? {} : { nearest: near }) }
}

function reason(selector: string): string {
  if (selector === 'workspace') return 'There is no workspace: no root for it is configured.'
  if (selector.startsWith('mcp:')) {
    return `No tool of an MCP server "${selector.slice(4)}": it is not configured, or it did not start.`
  }
  return `There is no tool "${selector}".`
}
