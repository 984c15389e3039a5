/** The audit of the scripts of an agent, as its runs pin it. */
import { BashAuditSpec } from '@signalbox/core'
import { bashRules } from '@signalbox/policies'
import { bashToolName } from '@signalbox/tools'
import type { AgentConfig } from '../agent-schema.ts'
import type { Config } from '../schema.ts'
import { digestOf } from './digest.ts'

const edition = 1

/**
 * The audit of an agent that has the tool `bash` of the sandbox; null for another, and where `sandbox.audit` is `off`. A tool of the name
 * that users define themselves is their own affair.
 */
export function bashAuditOf(
  { sandbox, tools }: Pick<Config, 'sandbox' | 'tools'>,
  agent: Pick<AgentConfig, 'tools'>,
): BashAuditSpec | null {
  const isOwn = tools.some(({ spec }) => spec.name === bashToolName)
  const { audit: mode = 'enforce', use = 'virtual' } = sandbox ?? {}
  if (isOwn || mode === 'off' || !agent.tools.includes(bashToolName)) return null
  const pinned = { edition, mode, tool: bashToolName, isolated: use === 'virtual' } as const
  const digest = digestOf({ ...pinned, rules: bashRules })
  return BashAuditSpec.parse({ use: 'bash-audit', id: 'bash-audit', digest, ...pinned })
}
