/** Arguments by declaration: what a tool says about its own arguments, and what it does not say. */
import { describe, expect, test } from 'vitest'
import type { JsonObject, JudgedArguments, PassportSpec } from '@signalbox/core'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'
import { passport, request, spec, verdictOf } from './passports.ts'

const limits = {
  'system.command.execute': { allowed_commands: ['git'] },
  'data.file.read': { allowed_paths: ['docs', 'reports'] },
  'data.file.write': { allowed_paths: ['reports'] },
  'web.fetch': { allowed_domains: ['example.com'] },
  'messaging.send': { allowed_recipients: ['ann@example.com', '#reports'] },
  'mcp.tool.execute': { allowed_servers: ['fs'] },
}

interface Asked {
  readonly judged?: JudgedArguments
  readonly policy?: Partial<PassportSpec>
  readonly held?: JsonObject
}

/** What a passport says about a tool that it maps to a capability. */
const said = (capability: string, args: JsonObject, { judged, policy, held }: Asked = {}): string =>
  verdictOf(
    evaluatePassport(
      spec(held ?? passport(limits), {
        capabilities: { own: capability },
        undeclaredArguments: 'deny',
        ...policy,
      }),
      { ...request('own', args), ...(judged ? { judged } : {}) },
    ),
  )

describe('a declared argument is judged by the limits of its kind', () => {
  test.each<[string, string, JsonObject, JudgedArguments, string]>([
    [
      'a path',
      'data.file.write',
      { output_path: 'reports/a.md' },
      { path: ['output_path'] },
      'allow',
    ],
    [
      'a path outside',
      'data.file.write',
      { output_path: 'keys/a.md' },
      { path: ['output_path'] },
      'oap.path_not_allowed',
    ],
    [
      'a path beside a known one',
      'data.file.write',
      { path: 'reports/a.md', output_path: '/etc/x' },
      { path: ['output_path'] },
      'oap.path_blocked',
    ],
    [
      'a path in an object',
      'data.file.write',
      { to: { file: 'keys/a' } },
      { path: ['to.file'] },
      'oap.path_not_allowed',
    ],
    [
      'paths in a list',
      'data.file.write',
      { to: [{ file: 'reports/a' }, { file: 'keys/a' }] },
      { path: ['to.file'] },
      'oap.path_not_allowed',
    ],
    [
      'a path that is no text',
      'data.file.write',
      { out: { a: 1 } },
      { path: ['out'] },
      'oap.invalid_context',
    ],
    [
      'a path to read, of a tool that writes',
      'data.file.write',
      { path: 'reports/a', template: 'docs/a' },
      { readPath: ['template'] },
      'allow',
    ],
    [
      'a path to read outside',
      'data.file.write',
      { path: 'reports/a', template: 'keys/a' },
      { readPath: ['template'] },
      'oap.path_not_allowed',
    ],
    [
      'an address',
      'web.fetch',
      { page: 'https://evil.test/' },
      { url: ['page'] },
      'oap.domain_not_allowed',
    ],
    [
      'an allowed address',
      'web.fetch',
      { page: 'https://www.example.com/' },
      { url: ['page'] },
      'allow',
    ],
    [
      'a host',
      'web.fetch',
      { url: 'https://example.com', proxy: 'evil.test:3128' },
      { host: ['proxy'] },
      'oap.domain_not_allowed',
    ],
    [
      'a host with a scheme',
      'web.fetch',
      { url: 'https://example.com', proxy: 'http://10.0.0.1' },
      { host: ['proxy'] },
      'oap.private_ip_blocked',
    ],
    [
      'a recipient',
      'messaging.send',
      { email: 'eve@evil.test', text: 'x' },
      { recipient: ['email'] },
      'oap.recipient_not_allowed',
    ],
    [
      'an allowed recipient',
      'messaging.send',
      { email: 'ann@example.com', text: 'x' },
      { recipient: ['email'] },
      'allow',
    ],
    [
      'a command',
      'system.command.execute',
      { run: 'curl x' },
      { command: ['run'] },
      'oap.command_not_allowed',
    ],
    [
      'an allowed command',
      'system.command.execute',
      { run: 'git status' },
      { command: ['run'] },
      'allow',
    ],
  ])('%s', (_, capability, args, judged, expected) => {
    expect(said(capability, args, { judged })).toBe(expected)
  })

  test.each<[string, string, JsonObject, JudgedArguments, string]>([
    [
      'a file of a fetch',
      'web.fetch',
      { url: 'https://example.com', output: '/etc/x' },
      { path: ['output'] },
      'oap.path_blocked',
    ],
    [
      'an allowed file of a fetch',
      'web.fetch',
      { url: 'https://example.com', output: 'reports/a.html' },
      { path: ['output'] },
      'allow',
    ],
    [
      'a page of a file tool',
      'data.file.write',
      { path: 'reports/a', from: 'https://evil.test/a' },
      { url: ['from'] },
      'oap.domain_not_allowed',
    ],
    [
      'the recipient of a command',
      'system.command.execute',
      { command: 'git status', notify: 'eve@evil.test' },
      { recipient: ['notify'] },
      'oap.recipient_not_allowed',
    ],
    [
      'a command of a file tool',
      'data.file.write',
      { path: 'reports/a', after: 'curl x' },
      { command: ['after'] },
      'oap.command_not_allowed',
    ],
    [
      'a repository without a capability',
      'data.file.write',
      { path: 'reports/a', repo: 'o/r' },
      { repository: ['repo'] },
      'oap.unknown_capability',
    ],
  ])('of another capability, too: %s', (_, capability, args, judged, expected) => {
    expect(said(capability, args, { judged })).toBe(expected)
  })

  test('of a tool of an MCP server, where the passport has limits of that kind', () => {
    const held = passport(limits)
    const asked = (path: string, judged?: JudgedArguments): string =>
      verdictOf(
        evaluatePassport(spec(held, { undeclaredArguments: 'deny' }), {
          ...request('mcp__fs__write', { path, content: 'a/b' }),
          ...(judged ? { judged } : {}),
        }),
      )
    expect(asked('reports/a', { path: ['path'] })).toBe('allow')
    expect(asked('/home/ann/.bashrc', { path: ['path'] })).toBe('oap.path_blocked')
    expect(asked('reports/a')).toBe('oap.undeclared_argument')
    expect(asked('reports/a', { none: ['path'] })).toBe('allow')
  })

  test('a passport that says nothing about files says nothing about those of an MCP server', () => {
    const held = passport(
      { 'mcp.tool.execute': { allowed_servers: ['fs'] } },
      {
        capabilities: [{ id: 'mcp.tool.execute' }],
      },
    )
    const asked = { ...request('mcp__fs__write', { path: '/srv/a' }) }
    const policy = spec(held, { undeclaredArguments: 'deny' })
    expect(verdictOf(evaluatePassport(policy, asked))).toBe('allow')
    expect(verdictOf(evaluatePassport(policy, { ...asked, judged: { path: ['path'] } }))).toBe(
      'allow',
    )
  })
})

describe('comparisons of fields take the names that a tool declares', () => {
  const held = passport(
    {
      'repo.merge': { allowed_repos: ['harbour/crane'], allowed_base_branches: ['main'] },
      'payments.charge': { currency_limits: { EUR: { max_per_tx: 500, daily_cap: 900 } } },
    },
    { capabilities: [{ id: 'repo.merge' }, { id: 'payments.charge' }] },
  )
  test.each<[string, string, JsonObject, JudgedArguments, string]>([
    [
      'a repository',
      'repo.merge',
      { project: 'harbour/crane', into: 'main' },
      { repository: ['project'], base_branch: ['into'] },
      'allow',
    ],
    [
      'another repository',
      'repo.merge',
      { project: 'evil/crane', into: 'main' },
      { repository: ['project'], base_branch: ['into'] },
      'oap.repo_not_allowed',
    ],
    [
      'another branch',
      'repo.merge',
      { project: 'harbour/crane', into: 'dev' },
      { repository: ['project'], base_branch: ['into'] },
      'oap.branch_not_allowed',
    ],
    [
      'a second repository beside',
      'repo.merge',
      { repository: 'harbour/crane', project: 'evil/crane', branch: 'main' },
      { repository: ['project'] },
      'oap.repo_not_allowed',
    ],
    [
      'money',
      'payments.charge',
      { cents: 400, money: 'EUR' },
      { amount: ['cents'], currency: ['money'] },
      'allow',
    ],
    [
      'too much money',
      'payments.charge',
      { cents: 600, money: 'EUR' },
      { amount: ['cents'], currency: ['money'] },
      'oap.limit_exceeded',
    ],
    [
      'two amounts',
      'payments.charge',
      { amount: 1, cents: 600, money: 'EUR' },
      { amount: ['cents'], currency: ['money'] },
      'oap.invalid_context',
    ],
  ])('%s', (_, capability, args, judged, expected) => {
    expect(said(capability, args, { judged, held })).toBe(expected)
  })
})

describe('an undeclared argument that looks like a path, an address or a recipient denies', () => {
  const files = { path: 'reports/a.md', content: 'x' }
  test.each<[string, JsonObject]>([
    ['an absolute path', { ...files, target: '/etc/cron.d/x' }],
    ['an absolute path with a space in it', { ...files, target: '/home/a b/../ann/.bashrc' }],
    ['a path with spaces around it', { ...files, target: ' /etc/passwd ' }],
    ['a home', { ...files, target: '~/.ssh/config' }],
    ['the home of somebody', { ...files, target: '~root' }],
    ['a path that climbs', { ...files, target: 'a b/../../x' }],
    ['a relative path', { ...files, target: 'src/app.ts' }],
    ['a dotted path', { ...files, target: './run' }],
    ['a drive', { ...files, target: 'C:\\Windows' }],
    ['a share', { ...files, target: '\\\\host\\share' }],
    ['a path in percent', { ...files, target: '%2e%2e%2fetc' }],
    ['a path by the name of its argument', { ...files, output_path: 'run' }],
    ['in camel case', { ...files, outputFile: 'run' }],
    ['in an object', { ...files, options: { out: '/etc/x' } }],
    ['in a list of objects', { ...files, options: [{ out: ['x', '/etc/x'] }] }],
    ['as the key of an object', { path: 'reports/a', more: { '/etc/x': 'text' } }],
    ['an address', { ...files, target: 'https://evil.test/a' }],
    ['an address with a space', { ...files, target: 'https://evil.test/?q=a b' }],
    [
      'an address with a line end, which readers drop',
      { ...files, target: 'ht\ntps://evil.test/' },
    ],
    ['another scheme', { ...files, target: 'file:/etc/passwd' }],
    ['data', { ...files, target: 'data:text/html,x' }],
    ['a host and a port', { ...files, target: 'evil.test:8080' }],
    ['a local host and a port', { ...files, target: 'localhost:6379' }],
    ['an address of IPv4', { ...files, target: '169.254.169.254' }],
    ['an address of IPv6', { ...files, target: 'fe80::1' }],
    ['a host by the name of its argument', { ...files, proxy: 'evil.com' }],
    ['a mail address', { ...files, target: 'eve@evil.test' }],
    ['a mail address with a name', { ...files, target: 'Eve <eve@evil.test>' }],
    ['mail addresses', { ...files, target: 'ann@example.com, eve@evil.test' }],
    ['a repository over ssh', { ...files, target: 'git@evil.test:a/b.git' }],
  ])('%s', (_, args) => {
    expect(said('data.file.write', args)).toBe('oap.undeclared_argument')
  })

  test.each<[string, JsonObject]>([
    ['prose', { ...files, target: 'See docs/a.md, and https://example.com.' }],
    [
      'text in free text',
      { ...files, content: '/etc/passwd', old_str: '/a/b', new_str: 'https://evil.test' },
    ],
    ['a search', { ...files, query: 'src/app.ts' }],
    ['a word', { ...files, mode: 'append', target: 'blue' }],
    ['a date', { ...files, due: '2026/11/25' }],
    ['a fraction', { ...files, ratio: '1/2' }],
    ['a time', { ...files, due: '2026-11-25T10:30:00Z', at: '10:30' }],
    ['a zone', { ...files, timezone: 'Europe/Berlin' }],
    ['a media type', { ...files, mime_type: 'text/html' }],
    ['a model', { ...files, model: 'openai/gpt-5' }],
    ['a package', { ...files, package: '@scope/name' }],
    ['a branch', { ...files, branch: 'feature/x' }],
    ['a cron rule', { ...files, schedule: '*/5 * * * *' }],
    ['an id with a colon', { ...files, customer_id: 'customer:1042' }],
    ['a version', { ...files, version: '1.2.3' }],
    ['data in base 64', { ...files, image: `/9j/4AAQSkZJRgABAQ${'aB3+xY9kQ7'.repeat(20)}==` }],
    ['Chinese prose', { ...files, remark: '是/否，明天再说' }],
    ['numbers and flags', { ...files, n: 5, deep: { is: true, none: null } }],
  ])('but not %s', (_, args) => {
    expect(said('data.file.write', args)).toBe('allow')
  })

  test('the answer names the argument, not its value', () => {
    const policy = spec(passport(limits), {
      capabilities: { own: 'data.file.write' },
      undeclaredArguments: 'deny',
    })
    const answer = evaluatePassport(
      policy,
      request('own', { path: 'reports/a', options: { out: '/secret-place/x' } }),
    )
    expect(answer.reasons[0]?.message).toContain('"options.out"')
    expect(JSON.stringify(answer)).not.toContain('secret-place')
  })

  test('free text and other arguments are declared as none', () => {
    const args = { path: 'reports/a', options: { out: '/a/b' }, pattern: '/a/b' }
    expect(said('data.file.write', args, { judged: { none: ['options', 'pattern'] } })).toBe(
      'allow',
    )
    expect(said('data.file.write', args, { judged: { none: ['options.out'] } })).toBe(
      'oap.undeclared_argument',
    )
  })

  test('a name with a dot in it is not the argument in an object that is declared', () => {
    const judged = { path: ['options.out'] }
    const args = { path: 'reports/a', options: { out: 'reports/b' } }
    expect(said('data.file.write', args, { judged })).toBe('allow')
    expect(said('data.file.write', { ...args, 'options.out': '/etc/x' }, { judged })).toBe(
      'oap.undeclared_argument',
    )
  })

  test('a name of the built-in lists that is declared as none is not judged', () => {
    const args = { path: 'docs/a', source: '/a/b' }
    expect(said('data.file.read', args)).toBe('oap.path_not_allowed')
    expect(said('data.file.read', args, { judged: { none: ['source'] } })).toBe('allow')
    expect(said('data.file.read', { path: 'keys/a' }, { judged: { none: ['path'] } })).toBe(
      'oap.invalid_context',
    )
  })

  test('a policy may warn, or ignore as before', () => {
    const args = { ...files, target: '/etc/x' }
    expect(said('data.file.write', args, { policy: { undeclaredArguments: 'ignore' } })).toBe(
      'allow',
    )
    const { undeclaredArguments: _, ...older } = spec(passport(limits), {
      capabilities: { own: 'data.file.write' },
    })
    expect(verdictOf(evaluatePassport(older, request('own', args)))).toBe('allow')
    const warned = evaluatePassport({ ...older, undeclaredArguments: 'warn' }, request('own', args))
    expect(warned).toMatchObject({ effect: 'warn', reasons: [{ code: 'oap.undeclared_argument' }] })
  })

  test('a tool that the passport has no say about is not looked at', () => {
    expect(said('exempt', { target: '/etc/x' })).toBe('allow')
  })
})
