import type { Log } from '@signalbox/engine'
import { validateDetectors } from '@signalbox/models'
import { type LoadedConfig, resolveAgents } from '@signalbox/server'
import { createToolHost } from '@signalbox/tools'
import { type Finding, fail, ok, reason } from './finding.ts'

const startMsMax = 20_000

/** Starts every MCP server, lists its tools, and looks whether each agent finds what it names. */
export async function checkTools({ config, dir }: LoadedConfig): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  try {
    const host = createToolHost({
      log: listeningLog(findings),
      tools: config.tools,
      mcpServers: config.mcpServers,
      startTimeoutMs: startMsMax,
      ...(config.workspace === undefined ? {} : { workspaceRoot: dir }),
    })
    try {
      const specs = await host.specs()
      const agents = resolveAgents(config, { specs, validateDetectors })
      const tools = [...agents.values()].map(({ name, tools: own }) => `${name} ${own.length}`)
      findings.push(ok('tools', `found by the agents: ${tools.join(', ')}`))
    } finally {
      await host.close()
    }
  } catch (error) {
    findings.push(fail('tools', reason(error), 'Correct the configuration there.'))
  }
  return findings
}

const nothing = (): void => {}

/** The host says in its log what becomes of its servers. */
function listeningLog(findings: Finding[]): Log {
  return {
    debug: nothing,
    info: (message, fields) => {
      if (message !== 'MCP server is up') return
      findings.push(ok(`mcp ${String(fields?.['server'])}`, `${String(fields?.['tools'])} tools`))
    },
    warn: (message, fields) => {
      if (message !== 'MCP server did not start') return
      const { server, reason: why, stderr } = { ...fields }
      const said = typeof stderr === 'string' && stderr !== '' ? ` It said: ${stderr}` : ''
      findings.push(
        fail(
          `mcp ${String(server)}`,
          `${String(why)}.${said}`,
          'Run its command by hand, and see what it says.',
        ),
      )
    },
    error: nothing,
  }
}
