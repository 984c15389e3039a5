/** Limits of mcp.tool.execute. The server is that of the tool's own name, `mcp__<server>__<tool>`. */
import { type PolicyReason, reason, quoted } from '@signalbox/core'
import { mcpNameOf } from '../capabilities.ts'
import { badContext, checkRates, type LimitedCall } from '../limit-check.ts'
import { countOf, listOf } from '../limit-shape.ts'
import { utf8Bytes } from '../utf8.ts'

/**
 * Refuses what the passport does not allow. A list names a server by the name it has in the configuration, or as
 * `mcp://<name>`. A tool of another name that is mapped here must say `server` and `tool` in its arguments.
 * `max_parameter_size` is in bytes of the arguments as JSON, `max_timeout` in seconds.
 */
export function checkMcpCall(call: LimitedCall): PolicyReason | null {
  const { limits, request } = call
  const { server, tool } = mcpNameOf(request.tool) ?? request.args
  if (typeof server !== 'string' || typeof tool !== 'string' || server === '' || tool === '')
    return badContext('The call must name an MCP server in "server" and a tool in "tool".')
  const servers = listOf(limits, 'allowed_servers') ?? []
  if (!servers.some((each) => each === '*' || each === server || each === `mcp://${server}`)) {
    const text = `The MCP server ${quoted(server)} is not in limits.mcp.tool.execute.allowed_servers.`
    return reason('oap.server_not_allowed', text)
  }
  return checkTool(call, tool) ?? checkSizes(call) ?? checkRates(call, rateKeys)
}

const rateKeys = ['max_calls_per_minute', 'max_calls_per_hour', 'max_calls_per_day']

const not = (text: string): PolicyReason => reason('oap.tool_not_allowed', text)

function checkTool({ limits }: LimitedCall, tool: string): PolicyReason | null {
  const blocked = listOf(limits, 'blocked_tools') ?? []
  if (blocked.some((each) => each === '*' || each.toLowerCase() === tool.toLowerCase()))
    return not(`The MCP tool ${quoted(tool)} is in limits.mcp.tool.execute.blocked_tools.`)
  const allowed = listOf(limits, 'allowed_tools')
  const prefixes = listOf(limits, 'allowed_tool_prefixes')
  if (allowed === null && prefixes === null) return null
  const listed = allowed?.some((each) => each === '*' || each === tool) === true
  if (listed || prefixes?.some((each) => each !== '' && tool.startsWith(each)) === true) return null
  return not(`The MCP tool ${quoted(tool)} is not in limits.mcp.tool.execute.allowed_tools.`)
}

function checkSizes({ limits, request }: LimitedCall): PolicyReason | null {
  const size = countOf(limits, 'max_parameter_size')
  if (size !== null) {
    const bytes = utf8Bytes(JSON.stringify(request.args))
    const text = `limits.mcp.tool.execute.max_parameter_size is ${size} bytes; the arguments have ${bytes}.`
    if (bytes > size) return reason('oap.parameter_size_exceeded', text)
  }
  const longest = countOf(limits, 'max_timeout')
  const timeout = request.args['timeout']
  if (longest === null || timeout === undefined) return null
  if (typeof timeout !== 'number') return badContext('"timeout" must be a number of seconds.')
  const text = `limits.mcp.tool.execute.max_timeout is ${longest} seconds; the call asks for ${timeout}.`
  return timeout > longest ? reason('oap.timeout_exceeded', text) : null
}
