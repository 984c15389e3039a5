/** The audit of the scripts of an agent, as its runs pin it. */
import { BashAuditSpec, type PolicySpec } from '@signalbox/core'
import { bashRules } from '@signalbox/policies'
import type { AgentConfig } from '../agent-schema.ts'
import { fail } from '../fail.ts'
import type { Config } from '../schema.ts'
import { digestOf } from './digest.ts'

/** The selector and the name of the tool. */
const toolName = 'bash'
const auditId = 'bash-audit'
const edition = 1

/**
 * The audit of an agent that has the tool `bash` of the sandbox; null for another, and where `sandbox.audit` is `off`. A tool of the name
 * that users define themselves is their own affair.
 *
 * @throws ConfigError for a provider that has the id of the audit
 */
export function bashAuditOf(
  { sandbox, tools }: Pick<Config, 'sandbox' | 'tools'>,
  agent: { readonly field: string; readonly tools: AgentConfig['tools'] },
  policies: readonly PolicySpec[],
): BashAuditSpec | null {
  const isOwn = tools.some(({ spec }) => spec.name === toolName)
  const { audit: mode = 'enforce', use = 'virtual' } = sandbox ?? {}
  if (isOwn || mode === 'off' || !agent.tools.includes(toolName)) return null
  if (policies.some(({ id }) => id === auditId))
    fail(
      'config_invalid',
      `${agent.field}.guardrails.provider`,
      `"${auditId}" is the id of the audit of scripts; give the provider another, or set sandbox.audit to "off"`,
    )
  const pinned = { edition, mode, tool: toolName, isolated: use === 'virtual' } as const
  const digest = digestOf({ ...pinned, rules: bashRules })
  return BashAuditSpec.parse({ use: 'bash-audit', id: auditId, digest, ...pinned })
}
