/** Addresses: every spelling of a host, private networks, and domains on the boundaries of their owners. */
import { describe, expect, test } from 'vitest'
import { type JsonObject, noCalls } from '@signalbox/core'
import { countCall } from '../../../core/src/verdict/authorization/rates.ts'
import { evaluatePassport } from '../../src/passport/evaluate-passport.ts'
import { ask, noon, passport, request, verdictOf } from './passports.ts'

const fetching = (limits: JsonObject, args: JsonObject): string =>
  verdictOf(ask(passport({ 'web.fetch': limits }), request('web_fetch', args)))
const fetch = (limits: JsonObject, url: string): string => fetching(limits, { url })
const browse = (limits: JsonObject, args: JsonObject): string => {
  const held = passport({ 'web.browser': limits })
  const mapped = { use: 'passport', id: 'p', digest: '', source: null, passport: held } as const
  return verdictOf(
    evaluatePassport(
      { ...mapped, capabilities: { browser: 'web.browser' } },
      request('browser', args),
    ),
  )
}

const any = { allowed_domains: ['*'] }

describe('weak points of the published rules', () => {
  test('domains match by substring of the URL', () => {
    const limits = { allowed_domains: ['example.com'] }
    expect(fetch(limits, 'https://example.com/x')).toBe('allow')
    expect(fetch(limits, 'https://api.example.com/x')).toBe('allow')
    for (const url of [
      'https://evil.org/?example.com',
      'https://evil.org/example.com',
      'https://evil.org/#example.com',
      'https://example.com.evil.org/',
      'https://notexample.com/',
    ])
      expect(fetch(limits, url)).toBe('oap.domain_not_allowed')
  })

  test('a missing or empty allowlist means allow', () => {
    expect(fetch({}, 'https://example.com/')).toBe('oap.domain_not_allowed')
    expect(fetch({ allowed_domains: [] }, 'https://example.com/')).toBe('oap.domain_not_allowed')
  })

  test('a call with no url skips all checks and is allowed', () => {
    for (const args of [{}, { url: '' }, { url: 1 }, { urls: [] }, { query: 'x' }])
      expect(fetching(any, args)).toBe('oap.invalid_context')
  })

  test('no rate limits locally', () => {
    const held = passport({ 'web.fetch': { ...any, max_requests_per_min: 2 } })
    const once = countCall(noCalls, 'web.fetch', noon)
    const twice = countCall(once, 'web.fetch', noon)
    const asked = request('web_fetch', { url: 'https://example.com/' })
    expect(verdictOf(ask(held, asked, once))).toBe('allow')
    expect(verdictOf(ask(held, asked, twice))).toBe('oap.rate_limit_exceeded')
    const later = request('web_fetch', { url: 'https://example.com/' }, noon + 60_000)
    expect(verdictOf(ask(held, later, twice))).toBe('allow')
  })
})

test.each([
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost/',
  'http://printer/',
  'http://db.internal/',
  'http://nas.local/',
  'http://router.lan/',
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.0.0.1./',
  'http://0/',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://100.64.0.1/',
  'http://100.127.255.255/',
  'http://169.254.169.254/latest/meta-data',
  'http://0xa9fea9fe/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://192.168.257/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::10.0.0.1]/',
  'http://[2002:a00:1::]/',
  'http://[2001:0:1::]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd12:3456::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
])('private networks are refused even with allowed_domains ["*"]: %s', (url) => {
  expect(fetch(any, url)).toBe('oap.private_ip_blocked')
  expect(fetch({ ...any, block_private_ips: false }, url)).toBe('allow')
})

test.each([
  'http://100.63.255.255/',
  'http://100.128.0.1/',
  'http://172.32.0.1/',
  'http://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'https://[::ffff:8.8.8.8]/',
  'https://example.com:8443/a?b=c#d',
  'HTTPS://EXAMPLE.COM./',
  'https://xn--bcher-kva.de/',
])('public hosts are allowed with ["*"]: %s', (url) => {
  expect(fetch(any, url)).toBe('allow')
})

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'example.com',
  '//example.com/',
  'https:/example.com/',
  'https:///example.com/',
  'https:example.com',
  'https://user@example.com/',
  'https://user:secret@example.com/',
  'https://example.com\\@evil.org/',
  'https://example.com%2eevil.org/',
  'https://example.com%00.evil.org/',
  'https://exa mple.com/',
  ' https://example.com/',
  'https://example.com/\n',
  'https://exam\tple.com/',
  'https://ex\u00adample.com/',
  'https://bücher.de/',
  'https://example。com/',
  'https://ｅxample.com/',
  'https://example.com:99999/',
  'https://example.com:8o/',
  'https://[::1/',
  'https://[fe80::1%25eth0]/',
  'https://[::1::2]/',
  'https://1.2.3.4.5/',
  'https://256.1.1.1/',
  'https://1.2.3.08/',
  'https://-example.com/',
  'https://exa..mple.com/',
  'https:// /',
  `https://${'a.'.repeat(200)}com/`,
  `https://example.com/${'a'.repeat(9000)}`,
])('what readers read differently is refused: %j', (url) => {
  expect(fetch(any, url)).toBe('oap.invalid_url')
})

test.each([
  [['*.example.com'], 'https://a.example.com/', 'allow'],
  [['*.example.com'], 'https://example.com/', 'oap.domain_not_allowed'],
  [['*.co.uk'], 'https://shop.co.uk/', 'oap.domain_not_allowed'],
  [['co.uk'], 'https://shop.co.uk/', 'oap.domain_not_allowed'],
  [['com'], 'https://example.com/', 'oap.domain_not_allowed'],
  [['github.io'], 'https://someone.github.io/', 'oap.domain_not_allowed'],
  [['someone.github.io'], 'https://someone.github.io/', 'allow'],
  [['EXAMPLE.com.'], 'https://example.com/', 'allow'],
  [['8.8.8.8'], 'http://134744072/', 'allow'],
  [['8.8.8.8'], 'http://8.8.4.4/', 'oap.domain_not_allowed'],
  [['2606:4700::1111'], 'https://[2606:4700:0::1111]/', 'allow'],
  [['bücher.de'], 'https://xn--bcher-kva.de/', 'oap.domain_not_allowed'],
  [['https://example.com'], 'https://example.com/', 'oap.domain_not_allowed'],
  [['example.*'], 'https://example.com/', 'oap.domain_not_allowed'],
])('allowed_domains %j: %s is %s', (entries, url, code) => {
  expect(fetch({ allowed_domains: entries }, url)).toBe(code)
})

test('an entry that nobody owns is named', () => {
  const held = passport({ 'web.fetch': { allowed_domains: ['*.co.uk'] } })
  const { reasons } = ask(held, request('web_fetch', { url: 'https://shop.co.uk/' }))
  expect(reasons[0]?.message).toContain('"*.co.uk" is too wide')
})

test.each([
  [['evil.org'], 'https://evil.org/'],
  [['evil.org'], 'https://a.b.evil.org/'],
  [['*.evil.org'], 'https://evil.org/'],
  [['org'], 'https://evil.org/'],
  [['8.8.8.8'], 'http://0x8.0x8.0x8.0x8/'],
  [['*'], 'https://example.com/'],
  [['böse.org'], 'https://example.com/'],
])('blocked_domains %j blocks %s', (entries, url) => {
  expect(fetch({ ...any, blocked_domains: entries }, url)).toBe('oap.domain_blocked')
})

test('methods and headers', () => {
  const limits = {
    ...any,
    allowed_methods: ['GET', 'head'],
    blocked_headers: ['Authorization', 'x-*'],
  }
  const url = 'https://example.com/'
  expect(fetching(limits, { url })).toBe('allow')
  expect(fetching(limits, { url, method: 'HEAD' })).toBe('allow')
  expect(fetching(limits, { url, method: 'POST' })).toBe('oap.method_not_allowed')
  expect(fetching({ ...any, allowed_methods: [] }, { url })).toBe('oap.method_not_allowed')
  expect(fetching(limits, { url, method: 1 })).toBe('oap.invalid_context')
  expect(fetching(limits, { url, headers: { authorization: 'x' } })).toBe('oap.header_blocked')
  expect(fetching(limits, { url, headers: { 'X-Y': 'x' } })).toBe('oap.header_blocked')
  expect(fetching(any, { url, headers: { Host: 'evil.org' } })).toBe('oap.header_blocked')
  expect(fetching(limits, { url, headers: { accept: 'x' } })).toBe('allow')
  expect(fetching(limits, { url, headers: [] })).toBe('oap.invalid_context')
})

test('browsing', () => {
  const limits = {
    allowed_domains: ['example.com'],
    allowed_actions: ['navigate', 'click', 'submit'],
    allow_form_submission: false,
  }
  expect(browse(limits, { action: 'navigate', url: 'https://example.com/' })).toBe('allow')
  expect(browse(limits, { action: 'navigate', url: 'https://evil.org/' })).toBe(
    'oap.domain_not_allowed',
  )
  expect(browse(limits, { action: 'navigate' })).toBe('oap.invalid_context')
  expect(browse(limits, { url: 'https://example.com/' })).toBe('oap.invalid_context')
  expect(browse(limits, { action: 'click', selector: '#a' })).toBe('allow')
  expect(browse(limits, { action: 'type' })).toBe('oap.action_not_allowed')
  expect(browse(limits, { action: 'submit' })).toBe('oap.form_submission_blocked')
  expect(browse({ ...limits, max_navigations_per_hour: 0 }, { action: 'click' })).toBe('allow')
  expect(
    browse(
      { ...limits, max_navigations_per_hour: 0 },
      { action: 'navigate', url: 'https://example.com/' },
    ),
  ).toBe('oap.rate_limit_exceeded')
  expect(
    browse({ ...limits, max_screenshots_per_hour: 0 }, { action: 'click', screenshot: true }),
  ).toBe('oap.rate_limit_exceeded')
})
