/** `sandbox.audit`: which agents have an audit of their scripts, and what their runs pin of it. */
import { tmpdir } from 'node:os'
import type { ToolSpec } from '@signalbox/core'
import { bashRules } from '@signalbox/policies'
import { defineTool } from '@signalbox/tools'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Config, type ConfigInput } from '../src/config/schema.ts'
import { digestOf } from '../src/config/governance/digest.ts'
import { loadGovernance } from '../src/config/governance/load-governance.ts'
import { resolveAgents } from '../src/config/resolve-agents.ts'

const bash = defineTool({
  name: 'bash',
  description: 'Runs a script.',
  effect: 'idempotent',
  input: z.object({ command: z.string() }),
  run: () => 'done',
})
const other = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  input: z.object({}),
  run: () => 'seen',
})
const model = { provider: 'openai', model: 'gpt-5' } as const

async function policiesOf(
  given: Partial<ConfigInput>,
  agent: object = {},
  specs: readonly ToolSpec[] = [bash.toSpec(), other.toSpec()],
) {
  const agents = { a: { model, tools: ['bash'], ...agent } }
  const config = Config.parse({ agents, ...given })
  const governance = await loadGovernance({ config, dir: tmpdir() })
  const resolved = resolveAgents(config, { specs, validateDetectors: () => null, governance })
  return resolved.get('a')?.guardrails.policies
}

const pinned = { edition: 1, mode: 'enforce', tool: 'bash', isolated: true } as const

describe('an agent with the tool bash', () => {
  test('has the audit, which the digest of its rules names', async () => {
    const digest = digestOf({ ...pinned, rules: bashRules })
    const audit = { use: 'bash-audit', id: 'bash-audit', digest, ...pinned }
    expect(await policiesOf({})).toEqual([audit])
    expect(await policiesOf({ sandbox: {} })).toEqual([audit])
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test('whose scripts see a host is judged by the rules about it', async () => {
    expect(await policiesOf({ sandbox: { use: 'bubblewrap' } })).toMatchObject([
      { use: 'bash-audit', isolated: false },
    ])
  })

  test('has one that only flags, or none (§19 audit 4)', async () => {
    expect(await policiesOf({ sandbox: { audit: 'flag' } })).toMatchObject([{ mode: 'flag' }])
    expect(await policiesOf({ sandbox: { audit: 'off' } })).toEqual([])
  })

  test('has it behind its own policies, and without any', async () => {
    const provider = { use: 'allowlist', deniedTools: ['look'] }
    expect(await policiesOf({}, { guardrails: { provider } })).toMatchObject([
      { use: 'allowlist' },
      { use: 'bash-audit' },
    ])
    expect(await policiesOf({}, { guardrails: { enabled: false } })).toMatchObject([
      { use: 'bash-audit' },
    ])
  })

  test('may have 16 policies besides', async () => {
    const provider = Array.from({ length: 16 }, () => ({ use: 'allowlist' }))
    expect(await policiesOf({}, { guardrails: { provider } })).toHaveLength(17)
  })

  test('has no other policy of that id', async () => {
    const provider = { use: 'allowlist', id: 'bash-audit' }
    await expect(policiesOf({}, { guardrails: { provider } })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('guardrails.provider.id'),
    })
  })
})

test('an agent without bash, or with a tool of that name that users define, has none (C3)', async () => {
  expect(await policiesOf({}, { tools: ['look'] })).toEqual([])
  expect(await policiesOf({ tools: [bash, other] })).toEqual([])
})

test.each([
  [{ audit: 'enforced' }, 'audit'],
  [{ audti: 'off' }, 'audti'],
])('%j is refused by name', (sandbox, field) => {
  const parsed = Config.safeParse({ agents: { a: { model } }, sandbox })
  expect(JSON.stringify(parsed.error?.issues)).toContain(field)
})
