/** A sandbox that failed, as the tool `bash` tells it. Would catch: a command that reached the network, of which is said that it did nothing. */
import { tmpdir } from 'node:os'
import type { SandboxEgress } from '@signalbox/core'
import { expect, it } from 'vitest'
import { commandTool } from '../../src/sandbox/bash-tool.ts'
import { SandboxConfig } from '../../src/sandbox/config.ts'
import { notRun } from '../../src/sandbox/ended.ts'
import type { Sandboxes } from '../../src/sandbox/sandbox.ts'
import { openSkills } from '../../src/skills/open-skills.ts'
import { SkillDirectories } from '../../src/skills/skill-directories.ts'
import { SkillLoans } from '../../src/sandbox/skill-loans.ts'
import { absentFiles, absentWorkspace } from '../../src/workspace/workspace.ts'

/** Answers a failure behind these requests to the proxy. */
const failing = (egress: readonly SandboxEgress[]): Sandboxes => ({
  adapter: 'bubblewrap',
  probe: async () => ({ usable: true, findings: [] }),
  open: async () => ({
    exec: async () => ({ ...notRun('lost', 'it was killed.'), egress }),
    changes: async () => ({ ok: true, value: [] }),
    close: async () => undefined,
  }),
  close: async () => undefined,
})

const host = { host: 'api.example.com:443', requests: 1, bytes: 10 } as const

const executed = (egress: readonly SandboxEgress[]) => {
  const config = SandboxConfig.parse({
    use: 'bubblewrap',
    network: { allow: ['api.example.com:443'] },
  })
  const tool = commandTool({
    sandboxes: failing(egress),
    config,
    env: {},
    snapshots: true,
    skills: new SkillLoans(new SkillDirectories(tmpdir()), {}),
  })
  const ids = { tenantId: 't', threadId: 'h', runId: 'r', callId: 'c' }
  const context = {
    ...ids,
    idempotencyKey: 'k',
    attempt: 1,
    fields: {},
    signal: new AbortController().signal,
    progress: () => undefined,
    workspace: absentWorkspace,
  }
  return tool.execute({ command: 'curl https://api.example.com' }, context, {
    files: absentFiles,
    skills: openSkills(undefined),
  })
}

it('a command that reached a host, and was lost: nobody knows what it did there', async () => {
  const execution = await executed([{ ...host, verdict: 'allowed' }])
  expect(execution).toMatchObject({ ok: false, code: 'sandbox_lost', unknown: true })
  expect(JSON.stringify(execution)).not.toContain('changed nothing')
})

it.each([[[]], [[{ ...host, verdict: 'refused' } as const]]])(
  'one that reached none (%j) changed nothing',
  async (egress) => {
    const execution = await executed(egress)
    expect(execution).toMatchObject({ ok: false, code: 'sandbox_lost' })
    expect(execution).not.toHaveProperty('unknown')
    expect(JSON.stringify(execution)).toContain('changed nothing')
  },
)
