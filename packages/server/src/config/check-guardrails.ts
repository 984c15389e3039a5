/** Guardrails that would guard nothing: most likely a slip, and a dangerous one. */
import type { ToolSpec } from '@signalbox/core'
import type { AgentConfig } from './agent-schema.ts'
import { fail } from './fail.ts'
import { listed } from './governance/policies.ts'
import { suggestion } from './nearest.ts'

/** Guardrails that are switched on and have nothing to guard with. @throws ConfigError */
export function checkSomethingGuards(
  field: string,
  { enabled, provider, approvalTools, stream }: AgentConfig['guardrails'],
): void {
  const guards = provider !== undefined || approvalTools.length > 0 || stream.length > 0
  if (enabled !== true || guards) return
  const message =
    'guardrails are switched on, but nothing guards: name a provider, approvalTools or stream, or leave enabled out'
  fail('config_invalid', `${field}.enabled`, message)
}

/** Lists that name a tool nobody offers. @throws ConfigError */
export function checkGuarded(
  field: string,
  { guardrails, loop }: AgentConfig,
  specs: readonly ToolSpec[],
): void {
  const known = specs.map((spec) => spec.name)
  const check = (name: string, at: string): void => {
    if (known.includes(name)) return
    fail('config_unknown_tool', at, `there is no tool "${name}".${suggestion(name, known)}`)
  }
  const at = `${field}.guardrails`
  guardrails.approvalTools.forEach((name, n) => check(name, `${at}.approvalTools[${n}]`))
  for (const { provider, field: place } of listed(guardrails.provider, `${at}.provider`)) {
    if (!('use' in provider) || provider.use !== 'allowlist') continue
    const { allowedTools, deniedTools, approvalTools } = provider
    const lists = { allowedTools: allowedTools ?? [], deniedTools, approvalTools }
    for (const [list, names] of Object.entries(lists))
      names.forEach((name, n) => check(name, `${place}.${list}[${n}]`))
  }
  for (const name of Object.keys(loop.toolFreqOverrides))
    check(name, `${field}.loop.toolFreqOverrides.${name}`)
}
