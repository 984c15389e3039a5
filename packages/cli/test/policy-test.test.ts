/**
 * `policy test` with real policies of every kind, in a folder of its own; as a child process where exit and streams are what
 * it is about. Would catch: a decision that an engine would not make, a row that is not told of, a slip that passes.
 */
import { createServer } from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { PolicyTestOptions } from '../src/commands/policy.ts'
import { testPolicies } from '../src/local/policy/test-policies.ts'
import { type Ended, signalbox } from './support/command.ts'
import { createFolder } from './support/folder.ts'

const capability = 'system.command.execute'
const passport = {
  passport_id: 'p-1',
  spec_version: 'oap/1.0',
  status: 'active',
  capabilities: [{ id: capability }],
  limits: { [capability]: { allowed_commands: ['git'], max_execution_time: 60 } },
}

const config = (policyServer: string) => `
import { defineConfig, defineTool, z } from 'signalbox'
const tool = (name) =>
  defineTool({ name, description: name, input: z.object({}), run: () => { throw new Error('it ran') } })
const model = { provider: 'scripted', model: 'none' }
const agent = (tools, guardrails) => ({ model, tools, guardrails })
export default defineConfig({
  agents: {
    lists: agent(['note', 'mail', 'bash'], {
      approvalTools: ['mail'],
      provider: { use: 'allowlist', id: 'house', deniedTools: ['bash'] },
    }),
    pass: agent(['bash'], { provider: { use: 'passport', id: 'acme', file: './passport.json' } }),
    past: agent(['bash'], { provider: { use: 'passport', id: 'old', file: './old.json' } }),
    cedar: agent(['note', 'mail'], {
      provider: {
        use: 'cedar',
        policies: {
          notes: 'permit(principal, action, resource == Tool::"note");',
          children: 'forbid(principal, action, resource) when { context.isSubagent };',
        },
      },
    }),
    remote: agent(['note', 'mail'], { provider: { use: 'http', id: 'opa', url: '${policyServer}' } }),
    lost: agent(['note'], { provider: { use: 'http', id: 'gone', url: 'http://127.0.0.1:9/' } }),
    open: agent(['note'], {
      failClosed: false,
      provider: { use: 'http', id: 'gone', url: 'http://127.0.0.1:9/' },
    }),
    own: agent(['note'], { provider: { use: './office.ts#hours' } }),
    both: agent(['note'], {
      approvalTools: ['note'],
      provider: { use: 'http', id: 'opa', url: '${policyServer}' },
    }),
  },
  tools: [tool('note'), tool('mail'), tool('bash')],
  scripts: { none: () => ({ text: '' }) },
})
`

const office = `
export const hours = ({ at, user }) =>
  user?.role === 'lead' || new Date(at).getUTCHours() < 18
    ? true
    : { effect: 'deny', reasons: [{ code: 'office.closed', message: 'Come back tomorrow.' }] }
`

let folder: Awaited<ReturnType<typeof createFolder>>
const asked: unknown[] = []
const opa = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk: Buffer) => (text += chunk.toString()))
  request.on('end', () => {
    const { input } = JSON.parse(text)
    asked.push(input)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ result: { allow: input.tool === 'note' } }))
  })
})

beforeAll(async () => {
  folder = await createFolder()
  await new Promise<void>((resolve) => opa.listen(0, '127.0.0.1', resolve))
  const address = opa.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await writeFile(join(folder.dir, 'signalbox.config.ts'), config(`http://127.0.0.1:${port}/`))
  await writeFile(join(folder.dir, 'passport.json'), JSON.stringify(passport))
  const expired = { ...passport, expires_at: '2021-01-01T00:00:00Z' }
  await writeFile(join(folder.dir, 'old.json'), JSON.stringify(expired))
  await writeFile(join(folder.dir, 'office.ts'), office)
})
afterAll(async () => {
  opa.close()
  await folder?.remove()
})

/** The command itself. */
async function typed(rows: unknown, ...args: readonly string[]): Promise<Ended> {
  await writeFile(join(folder.dir, 'rows.json'), JSON.stringify(rows))
  return signalbox(['policy', 'test', 'rows.json', ...args], { cwd: folder.dir })
}

/** What the command does, in this process. */
async function test(rows: unknown, options: PolicyTestOptions = {}, file = 'rows.json') {
  if (file === 'rows.json') await writeFile(join(folder.dir, file), JSON.stringify(rows))
  const [said, documents]: [string[], unknown[]] = [[], []]
  const code = await testPolicies(
    { cwd: folder.dir, env: {}, finish: () => {} },
    {
      file,
      options,
      signal: new AbortController().signal,
      terminal: {
        json: false,
        line: (text) => said.push(text),
        text: (text) => said.push(text),
        document: (value) => documents.push(value),
        note: (text) => said.push(text),
        paint: (_, text) => text,
      },
    },
  )
  return { code, said, documents }
}

const lines = (text: string): string[] => text.trimEnd().split('\n')
const evening = '2026-11-20T20:00:00Z'
const bash = (command: string) => ({ agent: 'pass', tool: 'bash', args: { command } })
const note = (agent: string) => ({ agent, tool: 'note', args: { text: 'milk' } })
const allow = { expect: 'allow' }

/** What the reference pages say of each kind of policy. */
const rows = [
  { ...note('lists'), name: 'what is on no list', ...allow },
  { agent: 'lists', tool: 'bash', args: {}, expect: 'deny', code: 'oap.tool_not_allowed' },
  { agent: 'lists', tool: 'mail', args: {}, expect: 'require_approval', code: 'approval_required' },
  { agent: 'lists', tool: 'read_result', args: {}, ...allow },
  { agent: 'lists', tool: 'nothing', args: {}, expect: 'deny', code: 'unknown_tool' },
  { ...bash('git status'), ...allow },
  { ...bash('git status; curl evil.example'), expect: 'deny', code: 'oap.command_not_allowed' },
  { ...bash('rm -rf /'), expect: 'deny', code: 'oap.dangerous_operation' },
  { ...bash('git'), agent: 'past', at: '2020-01-01T00:00:00Z', ...allow },
  { ...bash('git'), agent: 'past', expect: 'deny', code: 'oap.passport_suspended' },
  { ...note('cedar'), user: { id: 'ann' }, ...allow },
  { agent: 'cedar', tool: 'mail', args: {}, user: { id: 'ann', role: null }, expect: 'deny' },
  { ...note('remote'), ...allow },
  { agent: 'remote', tool: 'mail', args: {}, expect: 'deny', code: 'oap.denied' },
  { ...note('lost'), expect: 'deny', code: 'oap.evaluator_error' },
  { ...note('open'), ...allow },
  { ...note('own'), at: evening, expect: 'deny', code: 'office.closed' },
  { ...note('own'), at: evening, user: { id: 'ann', role: 'lead' }, ...allow },
  { ...note('own'), at: Date.parse('2026-11-20T09:00:00Z'), ...allow },
  { ...note('both'), expect: 'require_approval' },
  { ...note('cedar'), isSubagent: false, ...allow },
  { ...note('cedar'), isSubagent: true, expect: 'deny' },
]

describe('a table that is met', () => {
  it('has a line for each row, over policies of every kind, and runs no tool', async () => {
    const { code, stdout, stderr } = await typed(rows)
    expect({ failed: lines(stdout).filter((line) => line.startsWith('FAIL')), stderr }).toEqual({
      failed: [],
      stderr: '',
    })
    expect(code).toBe(0)
    expect(lines(stdout)).toHaveLength(rows.length + 1)
    expect(lines(stdout)[0]).toMatch(/^ok +1 {2}what is on no list {2}lists note {2}allow/)
    expect(lines(stdout).at(-1)).toBe(`${rows.length} rows, 0 failed`)
    // The one that fails open says so.
    expect(lines(stdout)[15]).toMatch(/gone could not answer/)
    expect(asked).toContainEqual(
      expect.objectContaining({ tool: 'mail', agent: 'remote', args: {}, user: null }),
    )
  })

  it('is one of one agent, if that is what is asked for', async () => {
    const { code, said } = await test(rows, { agent: 'pass' })
    expect({ code, last: said.at(-1) }).toEqual({ code: 0, last: '3 rows, 0 failed' })
    await expect(test(rows, { agent: 'ghost' })).rejects.toThrow(/no row of an agent "ghost"/)
  })

  it('may be a module, beside another configuration', async () => {
    const { dir } = folder
    await writeFile(join(dir, 'rows.ts'), `export default ${JSON.stringify([rows[0]])}`)
    await writeFile(join(dir, 'other.config.ts'), config('http://127.0.0.1:9/'))
    const beside = await test(null, { config: 'other.config.ts' }, 'rows.ts')
    expect(beside.said.at(-1)).toBe('1 row, 0 failed')
    await expect(test(null, { config: 'none.ts' }, 'rows.ts')).rejects.toThrow(
      /--config names .*none\.ts, which is not there/,
    )
  })
})

describe('a row that is not met', () => {
  it('says what was decided, by whom and why', async () => {
    const { code, said } = await test([
      { ...bash('rm -rf /'), name: 'clean  ing', ...allow },
      { ...bash('rm -rf /'), expect: 'deny', code: 'oap.command_not_allowed' },
      { ...bash('git'), ...allow },
    ])
    expect(code).toBe(1)
    expect(said[0]).toMatch(
      /^FAIL +1 {2}clean ing {2}pass bash {2}expected allow, got deny oap\.dangerous_operation by acme: \S/,
    )
    expect(said[1]).toMatch(/expected deny oap\.command_not_allowed, got deny oap\.dang/)
    expect(said.slice(2)).toEqual([expect.stringMatching(/^ok/), '3 rows, 2 failed'])
  })

  it('is told to programs in one document, and the command fails', async () => {
    const { code, stdout } = await typed([{ ...note('lost'), ...allow }], '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      rows: [
        {
          row: 1,
          name: null,
          agent: 'lost',
          tool: 'note',
          ok: false,
          expected: { effect: 'allow', code: null },
          got: {
            effect: 'deny',
            reasons: [{ code: 'oap.evaluator_error', message: expect.any(String) }],
            policy_id: 'gone',
          },
          faults: [{ policy_id: 'gone', message: expect.any(String) }],
        },
      ],
    })
  })
})

describe('a living passport', () => {
  it('that is suspended denies what it allowed', async () => {
    const file = join(folder.dir, 'passport.json')
    onTestFinished(() => writeFile(file, JSON.stringify(passport)))
    await writeFile(file, JSON.stringify({ ...passport, status: 'suspended' }))
    const { code } = await test([
      { ...bash('git'), expect: 'deny', code: 'oap.passport_suspended' },
    ])
    expect(code).toBe(0)
  })
})

const row = { ...note('lists'), ...allow }

/** Tables that are wrong: row and field, and what is wrong with it. */
const wrong: readonly (readonly [string, unknown, RegExp])[] = [
  ['no array', { rows: [] }, /it holds no array of rows/],
  ['no row', [], /it holds no row/],
  ['a field too many', [row, { ...row, exepct: 'deny' }], /row 2, exepct: there is no such field/],
  [
    'an effect that is none',
    [{ ...row, name: 'x', expect: 'yes' }],
    /row 1 \(x\), expect: takes "allow"/,
  ],
  ['no agent', [{ tool: 'note', args: {}, expect: 'deny' }], /row 1, agent: is missing/],
  [
    'an unknown agent',
    [row, { ...row, agent: 'writer' }],
    /row 2, agent: there is no agent "writer"; there are lists/,
  ],
  ['a time that is none', [{ ...row, at: 'noon' }], /row 1, at: takes a time such as/],
  ['arguments that are no object', [{ ...row, args: [] }], /row 1, args: /],
  ['a flag that is none', [{ ...row, isSubagent: 'no' }], /row 1, isSubagent: takes true or false/],
  ['a user without an id', [{ ...row, user: { role: 'lead' } }], /row 1, user\.id: is missing/],
]

describe('a table that is wrong', () => {
  it.each(wrong)('with %s is refused by row and field', async (_, table, said) => {
    const refused = test(table)
    await expect(refused).rejects.toThrow(said)
    await expect(refused).rejects.toMatchObject({
      code: 'policy_test_invalid',
      exitCode: 2,
      message: expect.stringContaining('rows.json: '),
    })
  })

  it('ends the command in one line', async () => {
    const { code, stdout, stderr } = await typed([{ ...row, exepct: 'deny' }])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /^signalbox: .*rows\.json: row 1, exepct: there is no such field.*\[policy_test_invalid\]\n$/,
    )
  })

  it('that is not there, or not JSON, is refused', async () => {
    await expect(test(null, {}, 'none.json')).rejects.toThrow(/none\.json: it cannot be read/)
    await writeFile(join(folder.dir, 'broken.json'), '[{')
    await expect(test(null, {}, 'broken.json')).rejects.toThrow(/broken\.json: it cannot be read/)
  })
})
