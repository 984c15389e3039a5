/** Cedar, the real one: the behaviours of the reference (policy-passports, 13), each by name, and what we add to it. */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { PolicyAnswer, PolicyRequest } from '@signalbox/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cedarSpec, digest, hosting, request } from './support/hosting.ts'

const run = promisify(execFile)

type Own = Parameters<typeof cedarSpec>[0]
const all = 'permit(principal, action, resource);'

/** Prepares a host with one spec and asks it. */
async function evaluate(own: Own, changes: Partial<PolicyRequest> = {}): Promise<PolicyAnswer> {
  const evaluator = await evaluatorOf(own)
  return evaluator(request(changes))
}

async function evaluatorOf(own: Own): Promise<(request: PolicyRequest) => PolicyAnswer> {
  const { host } = hosting()
  const spec = cedarSpec(own)
  await host.prepare([spec])
  const evaluator = host.evaluator(spec)
  if (evaluator === null) throw new Error('no evaluator')
  return evaluator
}

const prepare = (own: Own): Promise<unknown> => evaluatorOf(own)

describe('the behaviours of Cedar', () => {
  it('does not let a forbid that errors allow: the evaluator throws instead', async () => {
    const policies = {
      all,
      guard: 'forbid(principal, action, resource) when { context.args.command like "*rm*" };',
    }
    const evaluator = await evaluatorOf({ policies })
    expect(evaluator(request({ args: { command: 'rm -rf /' } })).effect).toBe('deny')
    expect(evaluator(request({ args: { command: 'ls' } })).effect).toBe('allow')
    expect(() => evaluator(request({ args: {} }))).toThrow('Cedar could not evaluate guard.')
  })

  it('warns where the permits that match are listed for it, and none of them allows', async () => {
    const resource = 'resource == Tool::"bash"'
    const policies = {
      all,
      some: `permit(principal, action, ${resource});`,
      person: `permit(principal, action, ${resource});`,
    }
    const said = async (own: Omit<Own, 'policies'>) => (await evaluate({ policies, ...own })).effect
    expect(await said({ warn: ['some', 'person'] })).toBe('allow')
    expect(await said({ warn: ['all', 'some'], approval: ['person'] })).toBe('warn')
    expect(await said({ approval: ['all', 'some', 'person'] })).toBe('require_approval')
    expect(await evaluate({ policies: { all }, warn: ['all'] })).toMatchObject({
      effect: 'warn',
      reasons: [{ code: 'oap.warned', message: 'Policy all warns of this call.' }],
    })
    await expect(prepare({ policies, warn: ['nobody'] })).rejects.toThrow('nobody')
  })

  it('names determining policies by their own ids, with the codes configured for them', async () => {
    const policies = {
      all,
      'no-shell': 'forbid(principal, action, resource == Tool::"bash");',
      'no-writers': 'forbid(principal, action, resource) when { context.agent == "writer" };',
    }
    expect(await evaluate({ policies, codes: { 'no-shell': 'acme.no_shell' } })).toEqual({
      effect: 'deny',
      reasons: [
        { code: 'acme.no_shell', message: 'Policy no-shell forbids this call.' },
        { code: 'oap.denied', message: 'Policy no-writers forbids this call.' },
      ],
      policyId: 'p',
      policyDigest: digest,
    })
  })

  it('denies what no policy permits, and everything where there is no policy', async () => {
    const policies = { ls: 'permit(principal, action, resource == Tool::"ls");' }
    for (const own of [{ policies }, { policies: {} }]) {
      expect(await evaluate(own)).toMatchObject({
        effect: 'deny',
        reasons: [{ code: 'oap.denied', message: 'No policy permits this call.' }],
      })
    }
  })

  it('has no clock: the time of the call stands in the context', async () => {
    const policies = { late: 'permit(principal, action, resource) when { context.at >= 2000 };' }
    expect((await evaluate({ policies }, { at: 1999 })).effect).toBe('deny')
    expect((await evaluate({ policies }, { at: 2000 })).effect).toBe('allow')
  })

  it('answers at once after it is prepared, from sets parsed before, also after others took their place', async () => {
    const texts = Array.from({ length: 300 }, (_, index) => `Tool::"${index}"`)
    const evaluators = []
    for (const tool of texts) {
      const policies = { one: `permit(principal, action, resource == ${tool});` }
      evaluators.push(await evaluatorOf({ policies }))
    }
    const answers = evaluators.map((evaluator) => evaluator(request({ tool: '7' })).effect)
    expect(answers.filter((effect) => effect === 'allow')).toHaveLength(1)
    expect(answers[7]).toBe('allow')
  })
})

const when = (text: string): Own => ({
  policies: { p: `permit(principal, action, resource) when { ${text} };` },
})

describe('who, what and where', () => {
  it.each<[string, string, Partial<PolicyRequest>]>([
    ['a user', 'principal == User::"ada"', {}],
    ['an agent without a user', 'principal == Agent::"writer"', { user: null }],
    ['the action', 'action == Action::"call"', {}],
    ['the tool', 'resource == Tool::"bash"', {}],
    ['arguments', 'context.args.command == "ls"', {}],
    ['the agent', 'context.agent == "writer"', {}],
    ['a subagent', 'context.isSubagent', { isSubagent: true }],
    ['the role', 'context.role == "author"', {}],
    ['a user without a role', '!(context has role)', { user: { id: 'ada', role: null } }],
    ['no user, no role', '!(context has role)', { user: null }],
    ['the time', 'context.at == 5', { at: 5 }],
  ])('says %s', async (_, condition, changes) => {
    expect((await evaluate(when(condition), changes)).effect).toBe('allow')
    expect((await evaluate(when(`!(${condition})`), changes)).effect).toBe('deny')
  })

  it('quotes names, so that no tool can call itself another', async () => {
    const tool = 'x" || true || resource == Tool::"bash'
    const policies = { p: 'permit(principal, action, resource == Tool::"bash");' }
    expect((await evaluate({ policies }, { tool })).effect).toBe('deny')
  })
})

describe('approval', () => {
  const policies = {
    shell: 'permit(principal, action, resource == Tool::"bash");',
    admins: 'permit(principal, action, resource) when { context.role == "admin" };',
  }
  const own = { policies, approval: ['shell'], codes: { shell: 'acme.ask' } }

  it('is asked for when every permit that counts is listed', async () => {
    expect(await evaluate(own)).toMatchObject({
      effect: 'require_approval',
      reasons: [{ code: 'acme.ask', message: 'Policy shell asks for approval of this call.' }],
    })
  })

  it('is not asked for when another permit allows by itself', async () => {
    const user = { id: 'bob', role: 'admin' }
    expect((await evaluate(own, { user })).effect).toBe('allow')
  })

  it('does not soften a forbid', async () => {
    const forbidden = { ...policies, no: 'forbid(principal, action, resource);' }
    expect(
      (await evaluate({ ...own, policies: forbidden, approval: ['shell', 'no'] })).effect,
    ).toBe('deny')
  })
})

describe('a schema', () => {
  const schema = `
    entity User; entity Agent; entity Tool;
    action call appliesTo {
      principal: [User, Agent], resource: [Tool],
      context: { args: { command?: String }, agent: String, isSubagent: Bool, role?: String, at: Long },
    };`
  const guard =
    'forbid(principal, action, resource) when { context.args has command && context.args.command like "*rm*" };'
  const policies = { all, guard }

  it('lets a call through that fits, and throws for one that does not, without its arguments', async () => {
    const evaluator = await evaluatorOf({ policies, schema })
    expect(evaluator(request()).effect).toBe('allow')
    expect(evaluator(request({ args: { command: 'rm x' } })).effect).toBe('deny')
    const strange = request({ args: { command: 'ls', canary: 'c4n4ry' } })
    expect(() => evaluator(strange)).toThrow('Cedar refused the request. Does the schema fit')
    const wrong = request({ args: { command: ['c4n4ry'] } })
    expect(() => evaluator(wrong)).not.toThrow('c4n4ry')
    expect(() => evaluator(wrong)).toThrow('Cedar refused')
  })

  it('finds a policy at the start that could only fail later', async () => {
    const misspelt = {
      guard: 'forbid(principal, action, resource) when { context.comand == "rm" };',
    }
    await expect(prepare({ policies: misspelt, schema })).rejects.toThrow('does not fit its schema')
    await expect(prepare({ policies, schema: 'entity' })).rejects.toThrow('cannot be parsed')
  })
})

describe('a start-up error', () => {
  it.each<[string, Own, string]>([
    ['text that is no policy', { policies: { p: 'permit(' } }, 'cannot be parsed'],
    ['two policies under one id', { policies: { p: all + all } }, 'cannot be parsed'],
    [
      'a template',
      { policies: { p: 'permit(principal == ?principal, action, resource);' } },
      'parsed',
    ],
    ['an approval of no policy', { policies: { p: all }, approval: ['q'] }, 'names q in approval'],
    ['a code of no policy', { policies: { p: all }, codes: { q: 'x' } }, 'names q in codes'],
    [
      '501 policies',
      { policies: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`p${n}`, all])) },
      '500 is the limit',
    ],
    ['too much text', { policies: { p: `${all}//${'x'.repeat(262_144)}` } }, '262144 is the limit'],
  ])('is %s', async (_, own, message) => {
    await expect(prepare(own)).rejects.toThrow(message)
  })

  it('is a process without Cedar: it says what to install', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'no-cedar-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const source = fileURLToPath(new URL('../src/cedar/load.ts', import.meta.url))
    await copyFile(source, join(folder, 'load.ts'))
    const code =
      "(await import('./load.ts')).loadCedar().catch((error) => console.log(error.message))"
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], {
      cwd: folder,
    })
    expect(stdout).toContain('Install it: npm install @cedar-policy/cedar-wasm@^4.13.0')
    expect(hosting().host.evaluator(cedarSpec({ policies: { p: all } }))).toBeNull()
  })
})
