/** Paths: one spelling, boundaries, and what no passport opens. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@signalbox/core'
import { canonicalPath, isWithin } from '../../src/passport/files/canonical-path.ts'
import { matchesPathWildcard } from '../../src/passport/wildcard.ts'
import { ask, passport, request, spec, verdictOf } from './passports.ts'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'

const read = (limits: JsonObject, path: string): string =>
  verdictOf(ask(passport({ 'data.file.read': limits }), request('read_file', { path })))
const write = (limits: JsonObject, args: JsonObject): string =>
  verdictOf(ask(passport({ 'data.file.write': limits }), request('write_file', args)))

describe('weak points of the published rules', () => {
  test('paths match by startsWith with no normalisation', () => {
    const limits = { allowed_paths: ['/srv/data'] }
    expect(read(limits, '/srv/data/a.txt')).toBe('allow')
    expect(read(limits, '/srv/data')).toBe('allow')
    expect(read(limits, '/srv/database')).toBe('oap.path_not_allowed')
    expect(read(limits, '/srv/data/../other/a.txt')).toBe('oap.path_not_allowed')
    expect(read(limits, '/srv//./data//a.txt')).toBe('allow')
  })

  test('paths match by substring', () => {
    expect(read({ allowed_paths: ['/data/*'] }, '/other/data/x')).toBe('oap.path_not_allowed')
    expect(read({ allowed_paths: ['data'] }, '/data')).toBe('oap.path_not_allowed')
  })

  test('a missing or empty allowlist means allow', () => {
    expect(read({}, 'a.txt')).toBe('oap.path_not_allowed')
    expect(read({ allowed_paths: [] }, 'a.txt')).toBe('oap.path_not_allowed')
  })

  test.each([
    {},
    { path: '' },
    { path: 1 },
    { path: [] },
    { path: null },
    { path: 'a', file_path: 2 },
  ])('a call with no file_path skips all checks and is allowed: %j', (args) => {
    const held = passport({ 'data.file.read': { allowed_paths: ['*'] } })
    expect(verdictOf(ask(held, request('read_file', args)))).toBe('oap.invalid_context')
  })

  test('a second path under another name is judged, too', () => {
    const held = passport({ 'data.file.read': { allowed_paths: ['src'] } })
    const asked = request('read_file', { path: 'src/a', file_path: 'lib/a' })
    expect(verdictOf(ask(held, asked))).toBe('oap.path_not_allowed')
  })
})

test.each([
  '.env',
  'app/.env.local',
  '/home/me/.ssh/config',
  '.aws/config',
  '.kube/config',
  '.gnupg/x',
  'tls/server.PEM',
  'server.key',
  'my-Credentials.json',
  'passwords.txt',
  'id_rsa',
  'ID_RSA.pub',
  '/etc/shadow',
  '/proc/self/environ',
])('sensitive files are denied even with allowed_paths ["*"]: %s', (path) => {
  expect(read({ allowed_paths: ['*', '/', '.', path] }, path)).toBe('oap.blocked_pattern')
})

test.each([
  'a\\..\\b',
  '..%2f..%2fetc',
  'a\u0000b',
  'a\nb',
  '~/x',
  'file:///etc/passwd',
  'C:/x',
  '../x',
  'a/../../x',
  'a/../../workspace/x',
  'a./b',
  'a /b',
  'a\u202eb',
  '\ud800',
  'x'.repeat(5000),
])('a path that could mean another file is refused: %j', (path) => {
  expect(read({ allowed_paths: ['*', '.', '/'] }, path)).toBe('oap.path_not_allowed')
})

test.each([
  [{ allowed_paths: ['*'] }, 'any/where', 'allow'],
  [{ allowed_paths: ['.'] }, 'any/where', 'allow'],
  [{ allowed_paths: ['.'] }, '/any/where', 'oap.path_not_allowed'],
  [{ allowed_paths: ['docs/*.md'] }, 'docs/a.md', 'allow'],
  [{ allowed_paths: ['docs/*.md'] }, 'docs/a/b.md', 'oap.path_not_allowed'],
  [{ allowed_paths: ['docs/**'] }, 'docs/a/b.md', 'allow'],
  [{ allowed_paths: ['docs/**/b.md'] }, 'docs/b.md', 'allow'],
  [{ allowed_paths: ['docs/**/b.md'] }, 'docs/../src/b.md', 'oap.path_not_allowed'],
  [{ allowed_paths: ['*'], blocked_paths: ['secret'] }, 'a/Secret/b', 'oap.path_blocked'],
  [{ allowed_paths: ['*'], blocked_paths: ['/srv/x'] }, '/SRV/x/y', 'oap.path_blocked'],
  [{ allowed_paths: ['*'], blocked_paths: ['/srv/x'] }, '/srv/xy', 'allow'],
  [{ allowed_paths: ['*'], blocked_paths: ['/srv/*/keys'] }, '/srv/a/keys/b', 'oap.path_blocked'],
  [{ allowed_paths: ['*'], blocked_paths: ['bad%2f/x'] }, 'a', 'oap.path_blocked'],
  [{ allowed_paths: ['*'], blocked_patterns: ['draft'] }, 'a/My-Draft.md', 'oap.blocked_pattern'],
  [{ allowed_paths: ['*'], blocked_patterns: ['*.log'] }, 'a/x.log', 'oap.blocked_pattern'],
  [{ allowed_paths: ['*'], allowed_extensions: ['md', '.txt'] }, 'a.MD', 'allow'],
  [{ allowed_paths: ['*'], allowed_extensions: ['md'] }, 'a.md.exe', 'oap.extension_not_allowed'],
  [{ allowed_paths: ['*'], allowed_extensions: [] }, 'a.md', 'oap.extension_not_allowed'],
])('limits of reading: %j, %s is %s', (limits, path, code) => {
  expect(read(limits, path)).toBe(code)
})

test.each([
  ['/etc/hosts', 'oap.path_blocked'],
  ['/usr/bin/x', 'oap.path_blocked'],
  ['.bashrc', 'oap.path_blocked'],
  ['.git/hooks/pre-commit', 'oap.path_blocked'],
  ['/usr/src/app/x', 'allow'],
])('nobody writes where it would run later: %s is %s', (path, code) => {
  expect(write({ allowed_paths: ['*'] }, { path, content: 'x' })).toBe(code)
})

test('sizes are those of the bytes that would be written', () => {
  const limits = { allowed_paths: ['*'], max_file_size_mb: 3 / 1024 / 1024 }
  expect(write(limits, { path: 'a', content: 'abc' })).toBe('allow')
  expect(write(limits, { path: 'a', content: 'a€' })).toBe('oap.limit_exceeded')
  expect(write(limits, { path: 'a', content: 'a', content_length: 4 })).toBe('oap.limit_exceeded')
  expect(write(limits, { path: 'a', content_length: '4' })).toBe('oap.invalid_context')
})

test('create_dirs false refuses a call that asks for directories', () => {
  const limits = { allowed_paths: ['*'], create_dirs: false }
  expect(write(limits, { path: 'a/b', create_dirs: true })).toBe('oap.directory_not_allowed')
  expect(write(limits, { path: 'a/b' })).toBe('allow')
})

test('with a root, relative paths are what they are below it', () => {
  const held = passport({ 'data.file.read': { allowed_paths: ['/data/docs'] } })
  const under = (path: string): string =>
    verdictOf(evaluatePassport(spec(held, { root: '/data' }), request('ls', { path })))
  expect(under('docs/a')).toBe('allow')
  expect(under('/data/docs/a')).toBe('allow')
  expect(under('src/a')).toBe('oap.path_not_allowed')
  expect(under('docs/../../data/docs/a')).toBe('oap.path_not_allowed')
})

test('a refusal says the field and what would be right, and shows at most 80 characters of a value', () => {
  const held = passport({ 'data.file.write': { allowed_paths: ['docs'] } })
  const content = 'canary-content'
  const { reasons } = ask(held, request('write_file', { path: 'p'.repeat(300), content }))
  expect(reasons[0]?.message).toContain('limits.data.file.write.allowed_paths')
  expect(reasons[0]?.message).not.toContain('p'.repeat(81))
  expect(JSON.stringify(reasons)).not.toContain(content)
})

describe('canonicalPath', () => {
  const piece = fc.constantFrom('a', 'b', '.', '..', '', '...', 'é', 'A', '.x', ' ', '-')
  const path = fc
    .tuple(fc.constantFrom('', '/', '//'), fc.array(piece, { maxLength: 8 }))
    .map(([start, names]) => start + names.join('/'))

  test('is idempotent, and has no empty, `.` or `..` name', () => {
    fc.assert(
      fc.property(path, fc.constantFrom(null, '/root/x'), (text, root) => {
        const once = canonicalPath(text, root)
        if (!once.ok) return true
        const names = once.path.replace(/^\//, '').split('/')
        const clean =
          once.path === '.' ||
          once.path === '/' ||
          names.every((name) => !['', '.', '..'].includes(name))
        const twice = canonicalPath(once.path, root)
        return clean && twice.ok && (once.path === twice.path || once.path === '.')
      }),
      { numRuns: 2000 },
    )
  })

  test('with a root, a relative path never leaves it', () => {
    fc.assert(
      fc.property(path, (text) => {
        const at = canonicalPath(text, '/root/x')
        return text.startsWith('/') || !at.ok || isWithin('/root/x', at.path)
      }),
      { numRuns: 2000 },
    )
  })
})

test('wildcards of paths agree with a regular expression of the same meaning', () => {
  const step = fc.constantFrom('a', 'b*', '*', '?', '**', 'ab')
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 5 }),
      fc.array(fc.constantFrom('a', 'b', 'ab', 'ba'), { minLength: 1, maxLength: 6 }),
      (steps, names) => {
        const source = steps.map((each) =>
          each === '**'
            ? '(?:[^/]+/)*'
            : `${each.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}/`,
        )
        const expected = new RegExp(`^${source.join('')}$`).test(`${names.join('/')}/`)
        expect(matchesPathWildcard(steps.join('/'), names.join('/'))).toBe(expected)
      },
    ),
    { numRuns: 1000 },
  )
})
