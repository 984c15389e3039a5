/** One call against real policies, without a configuration. Would catch: a decision no engine would make. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentDefinition } from '@signalbox/core'
import { createPolicyHost, type PolicyModule } from '@signalbox/policies'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judgeCall } from '../src/local/policy/judge-row.ts'

const nothing = (): void => {}
const capability = 'system.command.execute'
const passport = {
  passport_id: 'p-1',
  spec_version: 'oap/1.0',
  status: 'active',
  expires_at: '2021-01-01T00:00:00Z',
  capabilities: [{ id: capability }],
  limits: { [capability]: { allowed_commands: ['git'], max_execution_time: 60 } },
}

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-judge-'))
  await writeFile(join(dir, 'active.json'), JSON.stringify(passport))
  await writeFile(join(dir, 'gone.json'), JSON.stringify({ ...passport, status: 'revoked' }))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const bash = {
  name: 'bash',
  version: '1',
  description: 'Runs a command.',
  inputSchema: { type: 'object' },
  effect: 'once',
  queue: 'tools',
  timeoutMs: 1000,
}

async function judge(policies: readonly object[], failClosed = true) {
  const host = createPolicyHost({
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    clock: { now: () => 0 },
    env: {},
    modules: new Map<string, PolicyModule>([
      ['first', () => ({ effect: 'deny', reasons: [{ code: 'x.first' }] })],
      [
        'slow',
        () =>
          new Promise((resolve) =>
            setTimeout(() => resolve({ effect: 'deny', reasons: [{ code: 'x.slow' }] }), 30),
          ),
      ],
      ['asks', () => ({ effect: 'require_approval' })],
      [
        'broken',
        () => {
          throw new Error('out of order')
        },
      ],
    ]),
    baseDir: dir,
  })
  const agent = AgentDefinition.parse({
    name: 'a',
    model: { provider: 'scripted', model: 'm' },
    instructions: '',
    tools: [bash],
    guardrails: { policies, failClosed },
  })
  const at = Date.parse('2020-06-01T00:00:00Z')
  const call = { agent, tool: 'bash', args: { command: 'git' }, user: null, isSubagent: false, at }
  const judged = await judgeCall(host, call, new AbortController().signal)
  await host.close()
  const { answer, faults } = judged
  return [answer.effect, answer.reasons[0]?.code, faults.map(({ policyId }) => policyId)]
}

const living = (source: string) => ({ use: 'passport', id: 'pass', passport, source })
const own = (path: string) => ({ use: 'module', id: path, path })

describe('a call', () => {
  it('is judged at the time of its row: a passport counts that has expired since', async () => {
    expect(await judge([living('active.json')])).toEqual(['allow', 'oap.allowed', []])
  })

  it('is denied by a passport that was revoked since the run began', async () => {
    expect(await judge([living('gone.json')])).toEqual(['deny', 'oap.passport_suspended', []])
  })

  it('is denied by the first policy that denies it, however fast the next one is', async () => {
    expect(await judge([own('slow'), own('first')])).toEqual(['deny', 'x.slow', []])
  })

  it('is denied where a policy cannot answer; where the agent fails open it has no say', async () => {
    const both = [own('broken'), own('asks')]
    expect(await judge(both)).toEqual(['deny', 'oap.evaluator_error', ['broken']])
    expect(await judge(both, false)).toEqual(['require_approval', 'approval_required', ['broken']])
  })
})
