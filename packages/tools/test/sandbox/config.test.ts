/** `sandbox` of the configuration: defaults of the page, limits, hosts of the allow-list. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sandboxLimitsOf, networkOf, SandboxConfig } from '../../src/sandbox/config.ts'
import { isPublicAddress } from '../../src/sandbox/egress/public-address.ts'
import { hostRule, isAllowed } from '../../src/sandbox/egress/rules.ts'
import { endWords } from '../../src/sandbox/end-words.ts'
import { showLive } from '../../src/sandbox/live-output.ts'
import { maskFor } from '../../src/sandbox/mask.ts'

const mebibyte = 1024 * 1024

describe('sandbox of the configuration', () => {
  it('has the defaults of context-systems §7.3', () => {
    const config = SandboxConfig.parse({})
    expect(config.use).toBe('virtual')
    expect(sandboxLimitsOf(config)).toEqual({
      wallMs: 120_000,
      cpuMs: 120_000,
      memoryBytes: 1024 * mebibyte,
      processes: 256,
      fileBytes: 64 * mebibyte,
      tmpBytes: 256 * mebibyte,
      outputBytes: mebibyte,
      openFiles: 1024,
    })
    expect(networkOf(config, {})).toEqual({ kind: 'none' })
  })

  it.each([
    [{ use: 'docker' }, 'use'],
    [{ limits: { wallMs: 600_001 } }, 'limits.wallMs'],
    [{ limits: { outputBytes: 17 * mebibyte } }, 'limits.outputBytes'],
    [{ limits: { memoryBytes: 2 << 30 } }, 'limits.memoryBytes'],
    [{ network: { allow: [] } }, 'network'],
    [{ network: { allow: ['example.com'] } }, 'network'],
    [{ env: { '1X': 'y' } }, 'env'],
    [{ unknown: true }, ''],
  ])('refuses %j', (input, field) => {
    const parsed = SandboxConfig.safeParse(input)
    expect(parsed.success).toBe(false)
    expect(parsed.error?.issues[0]?.path.join('.')).toContain(field)
  })

  it('takes what is injected from variables, and names one that is missing', () => {
    const network = {
      allow: ['api.github.com:443'],
      inject: { 'api.github.com': { header: 'Authorization', env: 'GITHUB' } },
    }
    const config = SandboxConfig.parse({ use: 'bubblewrap', network })
    expect(networkOf(config, { GITHUB: 'Bearer x' })).toMatchObject({
      rules: { inject: [{ host: 'api.github.com', header: 'Authorization', value: 'Bearer x' }] },
    })
    expect(() => networkOf(config, {})).toThrow('the variable GITHUB is not set')
  })
})

describe('the allow-list', () => {
  const hosts = ['api.github.com:443', '*.pypi.org:443', 'localhost:8080']
    .map(hostRule)
    .flatMap((rule) => rule ?? [])

  it.each([
    ['api.github.com', 443, true],
    ['API.GitHub.com', 443, true],
    ['api.github.com', 80, false],
    ['github.com', 443, false],
    ['x.api.github.com', 443, false],
    ['files.pypi.org', 443, true],
    ['a.b.pypi.org', 443, true],
    ['pypi.org', 443, false],
    ['evilpypi.org', 443, false],
    ['pypi.org.evil.com', 443, false],
    ['localhost', 8080, true],
  ])('%s:%d is %s', (host, port, allowed) => {
    expect(isAllowed({ hosts }, { host, port })).toBe(allowed)
  })

  it.each([
    '*:443',
    '**.a.b:1',
    'a.*.b:443',
    'a b:443',
    'a:0',
    'a:65536',
    ':443',
    'http://a:80',
    'a/b:80',
    '-a.b:1',
  ])('is no entry: %s', (text) => {
    expect(hostRule(text)).toBeNull()
  })

  it('a rule without a star covers its host and no other', () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,8}$/)
    fc.assert(
      fc.property(
        fc.array(label, { minLength: 1, maxLength: 4 }),
        fc.array(label, { minLength: 1, maxLength: 4 }),
        (a, b) => {
          const rule = hostRule(`${a.join('.')}:443`)
          const host = b.join('.')
          expect(isAllowed({ hosts: rule ? [rule] : [] }, { host, port: 443 })).toBe(
            host === a.join('.'),
          )
        },
      ),
    )
  })

  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '172.16.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '168.63.129.16',
    'x',
  ])('leads nowhere inward: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['1.1.1.1', '140.82.121.4', '2606:4700::1111'])(
    'leads to the internet: %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
})

describe('what ended a command', () => {
  const how = { limits: sandboxLimitsOf(SandboxConfig.parse({})), timeoutMs: 120_000 }

  it('is told in words that say what to do', () => {
    expect(endWords('exited', how)).toBeNull()
    expect(endWords('timeout', how)).toBe(
      'Stopped after 120 s. No file was changed. Run long work in parts.',
    )
    expect(endWords('output', how)).toContain('1 MiB')
    expect(endWords('memory', how)).toContain('1024 MiB')
    for (const ended of ['cpu', 'cancelled', 'lost'] as const)
      expect(endWords(ended, how)).toContain('No file was changed')
  })
})

describe('what the proxy adds', () => {
  const inject = [{ host: 'a.b', header: 'Authorization', value: 'Bearer canary-0123' }]
  const mask = maskFor({ kind: 'allow', rules: { hosts: [], methods: null, inject } })

  it('§7.6 is masked in outputs, whole and without its scheme', () => {
    expect(mask.clean('got Bearer canary-0123 and canary-0123')).toBe('got [secret] and [secret]')
    expect(maskFor({ kind: 'none' }).clean('canary-0123')).toBe('canary-0123')
  })

  it('the secret of a skill is in no name of a host that a command asked for', () => {
    const own = maskFor({ kind: 'none' }, ['Tok-4711'])
    expect(own.cleanHost('tok-4711.example.com:443')).toBe('[secret]')
    expect(own.cleanHost('api.example.com:443')).toBe('api.example.com:443')
  })

  it('§7.6 is in no note of progress, wherever output is cut', async () => {
    const notes: string[] = []
    const live = showLive((note) => void notes.push(note), mask)
    for (let n = 480; n < 520; n += 1) {
      live.take('stdout', Buffer.from(`canary-0123${'x'.repeat(n)}`))
      await new Promise((resolve) => setTimeout(resolve, 260))
      if (n > 482) break
    }
    live.stop()
    expect(notes.length).toBeGreaterThan(0)
    for (const note of notes) expect(note).not.toMatch(/canary|0123/)
  })
})
