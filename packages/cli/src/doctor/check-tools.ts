import type { Log } from '@signalbox/engine'
import { type LoadedConfig, loadGovernance } from '@signalbox/server'
import { findAgents } from '../local/find-agents.ts'
import { type DoctorFinding, failed, ok, errorLine } from './finding.ts'

const startMsMax = 20_000

/** Starts every MCP server, lists its tools, and looks whether each agent finds what it names. */
export async function checkTools(loaded: LoadedConfig): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  try {
    const governance = await loadGovernance(loaded)
    const how = { log: listeningLog(findings), startTimeoutMs: startMsMax }
    const agents = await findAgents(loaded, governance, how)
    const tools = [...agents.values()].map(({ name, tools: own }) => `${name} ${own.length}`)
    findings.push(ok('tools', `found by the agents: ${tools.join(', ')}`))
  } catch (error) {
    findings.push(failed('tools', errorLine(error), 'Correct the configuration there.'))
  }
  return findings
}

const nothing = (): void => {}

/** The host says in its log what becomes of its servers. */
function listeningLog(findings: DoctorFinding[]): Log {
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
        failed(
          `mcp ${String(server)}`,
          `${String(why)}.${said}`,
          'Run its command by hand, and see what it says.',
        ),
      )
    },
    error: nothing,
  }
}
